import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { HoldfastError, type ListedResult } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { resultColumns } from './find-results.ts';

/** Parsed data as JSON text, with every digit that its numbers have. */
export interface FoundResult extends ListedResult {
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

/** The page as the bot saw it. */
export async function readRawResult(db: Queryable, id: string, owner?: string): Promise<Buffer> {
  const [result] = await run(db, rawStatement, [id, owner]);
  if (!result) throw new HoldfastError('result_not_found', id);
  if (!result.raw_html) throw new HoldfastError('result_not_found', `result ${id} has no raw HTML`);
  return await inflate(result.raw_html);
}
