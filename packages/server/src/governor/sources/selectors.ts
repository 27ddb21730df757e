import { HoldfastError, type HtmlAdapterConfig } from '@holdfast/contract';
import { load } from 'cheerio';

/** Throws if a selector cannot be parsed, which would fail every job. */
export function checkSelectors({ item, next, fields: { attributes, ...fields } }: HtmlAdapterConfig): void {
  const page = load('<p></p>');
  const named = { item, next, ...fields, ...attributes };
  for (const [name, field] of Object.entries(named)) {
    if (field === undefined) continue;
    const selector = name === 'item' ? field : parseFieldSelector(field).selector;
    try {
      if (selector !== '') page(selector);
    } catch (error) {
      throw new HoldfastError('bad_request', `config.${name}: ${(error as Error).message}`);
    }
  }
}

/** `.price` is the text of the first such element, `a@href` its attribute, `@data-id` an attribute of the listing itself. */
export function parseFieldSelector(field: string): { selector: string; attribute: string | undefined } {
  const [, selector = '', attribute] = /^(.*?)(?:@([\w:.-]+))?$/s.exec(field) ?? [];
  return { selector: selector.trim(), attribute };
}
