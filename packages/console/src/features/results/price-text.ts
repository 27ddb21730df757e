import type { ListedResult } from '@holdfast/contract';
import { decimalText } from '../../design/count-text.ts';

/** The digits as they were found: no rounding, no float. */
export function priceText({ price, currency }: Pick<ListedResult, 'price' | 'currency'>): string {
  return price === null ? '–' : `${decimalText(price)} ${currency ?? ''}`.trim();
}
