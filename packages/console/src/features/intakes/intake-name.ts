import type { Intake } from '@holdfast/contract';
import { attributeText } from './attribute-text.ts';

/** Its title, otherwise its attributes: every intake has one or the other. */
export function intakeName({ title, attributes }: Pick<Intake, 'title' | 'attributes'>): string {
  return title ?? attributeText(attributes);
}
