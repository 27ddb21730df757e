import { HoldfastError, type HtmlAdapterConfig } from '@holdfast/contract';
import { load } from 'cheerio';
import { partsOf } from '../../shop/collect/adapters/html-adapter.ts';

/** A selector that cannot be read would fail at every job. */
export function checkSelectors({ item, next, fields: { attributes, ...fields } }: HtmlAdapterConfig): void {
  const page = load('<p></p>');
  const named = { item, next, ...fields, ...attributes };
  for (const [name, field] of Object.entries(named)) {
    if (field === undefined) continue;
    const selector = name === 'item' ? field : partsOf(field).selector;
    try {
      if (selector !== '') page(selector);
    } catch (error) {
      throw new HoldfastError('bad_request', `config.${name}: ${(error as Error).message}`);
    }
  }
}
