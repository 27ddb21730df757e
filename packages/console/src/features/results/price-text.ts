import type { ListedResult } from '@holdfast/contract';

/** The digits as they were found: no rounding, no float. */
export function priceText({ price, currency }: Pick<ListedResult, 'price' | 'currency'>): string {
  return price === null ? '–' : `${price} ${currency ?? ''}`.trim();
}

export function stockText({ in_stock }: Pick<ListedResult, 'in_stock'>): string {
  return in_stock === null ? '–' : in_stock ? '● in stock' : '○ sold out';
}
