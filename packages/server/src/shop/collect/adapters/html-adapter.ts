import { HoldfastError, type HtmlAdapterConfig, parseUrl } from '@holdfast/contract';
import { type CheerioAPI, load } from 'cheerio';
import { parseFieldSelector } from '../../../governor/sources/selectors.ts';
import { decodeHtml } from '../../../web/charset/decode-html.ts';
import type { FetchResponse } from '../../../web/fetch/fetcher.ts';
import { refusedLater } from '../../../web/fetch/status-error.ts';
import type { Listing } from '../../points/price-point.ts';
import type { Adapter, AdapterContext } from './adapter.ts';
import { fillText, fillUrl } from './fill-template.ts';
import { type ListingFields, makeListing } from './read-answer.ts';

type Element = ReturnType<CheerioAPI>;

/** Parsing blocks the runner's other jobs, about 0.2 s per megabyte. */
const limits = { maxBytes: 3 * 1024 * 1024, totalMs: 60_000 };
const maxHops = 5;
const maxItems = 1_000;

/** Reads listings from a site's pages with CSS selectors. Obeys robots.txt. */
export const htmlAdapter: Adapter<HtmlAdapterConfig> = async (config, item, context) => {
  const listings: Listing[] = [];
  const seen = new Set<string>();
  let url: string | undefined = fillUrl(config.url, item, context.secrets);
  for (let page = 0; url !== undefined && !seen.has(url) && page < config.max_pages; page++) {
    seen.add(url);
    const headers = Object.fromEntries(
      Object.entries(config.headers).map(([name, value]) => [name, fillText(value, item, context.secrets)]),
    );
    const response = await ask(url, headers, context);
    const $ = load(decodeHtml(response.body ?? Buffer.alloc(0), response.contentType).text);
    listings.push(...readItems($, config, response.url));
    if (listings.length >= config.max_listings) break;
    url = config.next === undefined ? undefined : nextUrl(read($.root(), config.next), response.url);
  }
  return listings.slice(0, config.max_listings);
};

async function ask(
  url: string,
  headers: Record<string, string>,
  { fetcher, leaseEnds, signal, session }: AdapterContext,
): Promise<FetchResponse> {
  const response = await fetcher.fetch(
    { url, headers, limits },
    { leaseEnds, signal, session, maxHops, obeysRobots: true, headersAreSecret: true },
  );
  const later = refusedLater(response);
  if (later) throw later;
  if (response.status !== 200) throw new HoldfastError('source_refused', `HTTP ${response.status}`);
  return response;
}

/** No listings is a valid answer; listings without a single price mean that the selectors are wrong. */
function readItems($: CheerioAPI, config: HtmlAdapterConfig, base: string): Listing[] {
  const items = $(config.item).toArray().slice(0, maxItems);
  const listings = items.flatMap((node) => {
    const item = $(node);
    const raw = JSON.stringify({
      text: item.text().replaceAll(/\s+/g, ' ').trim().slice(0, 2_000).toWellFormed(),
    });
    return (
      makeListing(fieldsOf(item, config.fields), config, { raw: raw.replaceAll('\\u0000', ' '), base }) ?? []
    );
  });
  if (items.length > 0 && listings.length === 0)
    throw new HoldfastError('answer_invalid', `none of ${items.length} listings has a price and a currency`);
  return listings;
}

function fieldsOf(item: Element, { attributes, ...fields }: HtmlAdapterConfig['fields']): ListingFields {
  const readAll = (named: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(
      Object.entries(named).map(([name, selector]) => [name, selector && read(item, selector)]),
    );
  return { ...readAll(fields), ...(attributes && { attributes: readAll(attributes) }) };
}

function read(item: Element, field: string): string | undefined {
  const { selector, attribute } = parseFieldSelector(field);
  const element = selector === '' ? item.first() : item.find(selector).first();
  if (element.length === 0) return undefined;
  return attribute === undefined ? element.text() : element.attr(attribute);
}

function nextUrl(link: string | undefined, base: string): string | undefined {
  const url = link === undefined ? undefined : parseUrl(link, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
