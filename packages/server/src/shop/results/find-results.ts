import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { HoldfastError, type ListedResult, type ResultFilter } from '@holdfast/contract';
import { boundedSearch, type SearchPage } from '../../base/database/bounded-search.ts';
import { idAt } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { priceChangeOf } from './price-changes.ts';

interface ResultSearch {
  readonly filter: ResultFilter;
  /** Only results of this owner. */
  readonly owner?: string | undefined;
  /** Cursor: id of the last result on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The columns of a listed result. The price stays text, so that no digit is lost. */
const resultColumns = `result.id, result.job_id, result.policy_id, result.user_id, result.url, result.price::text AS price,
  result.currency, result.title, result.in_stock, result.actor, result.raw_html IS NOT NULL AS has_raw_html,
  ${priceChangeOf('result.id')} AS price_change, result.crawled_at`;

/** A result's id and its crawled_at come from clock readings moments apart. */
const clockSlackMs = 60_000;

/**
 * Matching results, newest first. The text depends on the filter, because prepared plans are made without values
 * (session-settings.ts) and could not use a partial index.
 */
export async function searchResults(
  db: Queryable,
  { filter, owner, after, limit }: ResultSearch,
): Promise<SearchPage<ListedResult>> {
  const values: unknown[] = [];
  const bind = (value: unknown, type = 'text') => `$${values.push(value)}::${type}`;
  const { indexed, others } = conditions(filter, owner, bind);
  if (after) indexed.push(`result.id < ${bind(after, 'uuid')}`);
  const where = indexed.length > 0 ? `WHERE ${indexed.join(' AND ')}` : '';
  return await boundedSearch<ListedResult>(db, {
    alias: 'result',
    candidates: (wanted, count) =>
      `SELECT ${wanted} FROM crawl_results result ${where} ORDER BY id DESC LIMIT ${count}`,
    conditions: others,
    columns: resultColumns,
    limit,
    values,
  });
}

/** `indexed`: conditions that an index answers alone. `others`: conditions that need the row. */
function conditions(
  filter: ResultFilter,
  owner: string | undefined,
  bind: (value: unknown, type?: string) => string,
): { indexed: string[]; others: string[] } {
  const indexed: string[] = [];
  const others: string[] = [];
  const byThing = filter.policy_id !== undefined || filter.url !== undefined || filter.job_id !== undefined;
  if (filter.policy_id) indexed.push(`result.policy_id = ${bind(filter.policy_id, 'uuid')}`);
  if (filter.job_id) indexed.push(`result.job_id = ${bind(filter.job_id, 'uuid')}`);
  if (filter.url) {
    const url = bind(filter.url);
    indexed.push(`md5(result.url) = md5(${url}) AND result.url = ${url}`);
  }
  for (const name of [owner, filter.user_id].filter((name) => name !== undefined)) {
    const isOwners = `result.user_id = ${bind(name)}`;
    if (byThing || name === 'local') others.push(isOwners);
    else indexed.push(`${isOwners} AND result.user_id <> 'local'`);
  }
  // A result is stored when its page is crawled, so both times are the same.
  const since = latest(filter.crawled_after, filter.created_after);
  const until = earliest(filter.crawled_before, filter.created_before);
  if (since) {
    indexed.push(`result.id >= ${bind(idAt(since, -clockSlackMs), 'uuid')}`);
    others.push(`result.crawled_at >= ${bind(since, 'timestamptz')}`);
  }
  if (until) {
    indexed.push(`result.id < ${bind(idAt(until, clockSlackMs), 'uuid')}`);
    others.push(`result.crawled_at < ${bind(until, 'timestamptz')}`);
  }
  if (filter.currency) others.push(`result.currency = ${bind(filter.currency)}`);
  if (filter.in_stock !== undefined) others.push(`result.in_stock = ${filter.in_stock}`);
  return { indexed, others };
}

function latest(...moments: (string | undefined)[]): string | undefined {
  return inOrder(moments).at(-1);
}

function earliest(...moments: (string | undefined)[]): string | undefined {
  return inOrder(moments).at(0);
}

function inOrder(moments: (string | undefined)[]): string[] {
  return moments.filter((moment) => moment !== undefined).sort((a, b) => Date.parse(a) - Date.parse(b));
}

/** Parsed data as JSON text, with all digits of its numbers. */
interface FoundResult extends ListedResult {
  readonly parsed_data: string | null;
}

const showStatement = statement<FoundResult>(
  'show-result',
  `SELECT ${resultColumns}, result.parsed_data::text AS parsed_data FROM crawl_results result
   WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)`,
);

const rawStatement = statement<{ raw_html: Buffer | null }>(
  'read-raw-result',
  'SELECT raw_html FROM crawl_results WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)',
);

/** One result; with an owner, only if it is theirs. */
export async function showResult(db: Queryable, id: string, owner?: string): Promise<FoundResult> {
  const [result] = await run(db, showStatement, [id, owner]);
  if (!result) throw new HoldfastError('result_not_found', id);
  return result;
}

const inflate = promisify(inflateRaw);

/** The raw HTML that a bot submitted. */
export async function readRawResult(db: Queryable, id: string, owner?: string): Promise<Buffer> {
  const [result] = await run(db, rawStatement, [id, owner]);
  if (!result) throw new HoldfastError('result_not_found', id);
  if (!result.raw_html) throw new HoldfastError('result_not_found', `result ${id} has no raw HTML`);
  return await inflate(result.raw_html);
}
