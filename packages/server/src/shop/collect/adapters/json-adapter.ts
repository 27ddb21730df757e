import { HoldfastError, type JsonAdapterConfig, parseUrl } from '@holdfast/contract';
import { stringify } from 'lossless-json';
import type { FetchResponse } from '../../../web/fetch/fetcher.ts';
import { refusedLater } from '../../../web/fetch/status-error.ts';
import type { Listing } from '../../points/price-point.ts';
import type { Adapter, AdapterContext } from './adapter.ts';
import { fillText, fillUrl } from './fill-template.ts';
import { type ListingFields, makeListing, readJson, valueAt } from './read-answer.ts';

type Fields = JsonAdapterConfig['fields'];

const limits = { maxBytes: 5 * 1024 * 1024, totalMs: 60_000 };
const maxHops = 3;

/** Asks an HTTP API that answers in JSON, page by page. */
export const jsonAdapter: Adapter<JsonAdapterConfig> = async (config, item, context) => {
  const listings: Listing[] = [];
  let url: string | undefined = pageUrl(config, fillUrl(config.url, item, context.secrets), 0);
  const { origin } = new URL(url);
  for (let page = 0; url !== undefined && page < config.max_pages; page++) {
    const headers = Object.fromEntries(
      Object.entries(config.headers).map(([name, value]) => [name, fillText(value, item, context.secrets)]),
    );
    const response = await ask(url, headers, config, context);
    const answer = readJson(response.body);
    const items = itemsOf(answer, config.items);
    const found = readItems(items, config, response.url);
    listings.push(...found);
    if (listings.length >= config.max_listings) break;
    url = items.length === 0 ? undefined : nextUrl(config, answer, url, page + 1, origin);
  }
  return listings.slice(0, config.max_listings);
};

async function ask(
  url: string,
  headers: Record<string, string>,
  { oauth }: JsonAdapterConfig,
  context: AdapterContext,
): Promise<FetchResponse> {
  const { fetcher, tokens, leaseEnds, signal, session } = context;
  for (let attempt = 1; ; attempt++) {
    const authorization = oauth ? { authorization: `Bearer ${await tokens.get(oauth, context)}` } : {};
    const response = await fetcher.fetch(
      { url, headers: { ...headers, ...authorization }, accept: 'application/json', limits },
      { leaseEnds, signal, session, maxHops, obeysRobots: false, headersAreSecret: true },
    );
    const later = refusedLater(response);
    if (later) throw later;
    if (response.status === 200) return response;
    // A token may be revoked early.
    if (response.status === 401 && oauth && attempt === 1) tokens.forget(oauth, context);
    else throw new HoldfastError('source_refused', `HTTP ${response.status}`);
  }
}

/** A missing list counts as empty: many APIs answer so when they find nothing. */
function itemsOf(answer: unknown, path: string | undefined): unknown[] {
  if (typeof answer !== 'object' || answer === null)
    throw new HoldfastError('answer_invalid', 'neither an object nor an array');
  const items = path === undefined ? answer : (valueAt(answer, path) ?? []);
  if (!Array.isArray(items))
    throw new HoldfastError('answer_invalid', `${path ?? 'the answer'} is not an array`);
  return items;
}

function readItems(items: readonly unknown[], config: JsonAdapterConfig, base: string): Listing[] {
  const listings = items.flatMap((item) => {
    const raw = stringify(item) ?? null;
    return makeListing(fieldsOf(item, config.fields), config, { raw, base }) ?? [];
  });
  if (items.length > 0 && listings.length === 0)
    throw new HoldfastError('answer_invalid', `none of ${items.length} listings has a price and a currency`);
  return listings;
}

function fieldsOf(item: unknown, { attributes, ...fields }: Fields): ListingFields {
  const read = (paths: string | readonly string[]) => {
    for (const path of [paths].flat()) {
      const value = valueAt(item, path);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  };
  const readAll = (named: Readonly<Record<string, string | readonly string[] | undefined>>) =>
    Object.fromEntries(Object.entries(named).map(([name, paths]) => [name, paths && read(paths)]));
  return { ...readAll(fields), ...(attributes && { attributes: readAll(attributes) }) };
}

function pageUrl({ paging }: JsonAdapterConfig, url: string, page: number): string {
  if (paging?.parameter === undefined) return url;
  const parsed = new URL(url);
  parsed.searchParams.set(paging.parameter, String(paging.start + page * paging.step));
  return parsed.href;
}

/** The next page according to the answer. Only on the same origin, since the request carries secret headers. */
function nextUrl(
  config: JsonAdapterConfig,
  answer: unknown,
  current: string,
  page: number,
  origin: string,
): string | undefined {
  if (config.paging === undefined) return undefined;
  if (config.paging.next === undefined) return pageUrl(config, current, page);
  const next = valueAt(answer, config.paging.next);
  if (typeof next !== 'string' || next === '') return undefined;
  const url = parseUrl(next, current);
  if (url?.origin !== origin) throw new HoldfastError('answer_invalid', 'its next page has another origin');
  return url.href === current ? undefined : url.href;
}
