import type { Intake } from '@holdfast/contract';
import { attributeText } from './attribute-text.ts';

/** Its title, else what is known of it: every intake has one of them. */
export function intakeName({ title, attributes }: Pick<Intake, 'title' | 'attributes'>): string {
  return title ?? attributeText(attributes);
}
