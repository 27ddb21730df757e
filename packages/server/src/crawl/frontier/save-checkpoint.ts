import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run } from '../../base/database/statement.ts';
import type { Page, PageContent } from '../../pages/stored/page.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';
import type { CookieRow } from '../session/stored-cookies.ts';
import {
  checkpointStatementFor,
  repeatedOfShardStatement,
  repeatedStatement,
  type SavedCheckpoint,
} from './checkpoint-statement.ts';
import type { FoundUrl, LastFailure, Tries } from './frontier-entry.ts';

/** What changed since the last checkpoint. */
export interface Checkpoint {
  /** One more than that of the last checkpoint. */
  readonly number: number;
  readonly pages: readonly (Page & { content?: PageContent })[];
  readonly found: readonly FoundUrl[];
  /** Hashes of retried pages: the pages above replace their records. */
  readonly replaced: readonly string[];
  /** Frontier rows that are done; each has its page above. */
  readonly done: readonly { host: string; seq: number }[];
  /** Frontier rows to retry, and when, by our monotonic clock; stored by the database's clock. */
  readonly postponed: readonly ({ host: string; seq: number; until: number; failure: LastFailure } & Tries)[];
  /** Hosts with done rows: the lowest seq that may still be live, and the pages above that count against the host's limit. */
  readonly hosts: ReadonlyMap<string, { readonly lowSeq: number; readonly pages: number }>;
  readonly offScope: Readonly<Record<string, number>>;
  /** Bytes of bodies received. */
  readonly bytes: number;
  readonly currentUrl: string | null;
  readonly progress: number;
  /** Replaces the stored value; null keeps it. */
  readonly discovery: Record<string, unknown> | null;
  /** Sites whose cookies changed. */
  readonly cookies: readonly CookieRow[];
  /** In a crawl with several shards. */
  readonly shard?: ShardCheckpoint | undefined;
}

export interface ShardCheckpoint {
  readonly shard: number;
  /** The shard of each found URL. */
  readonly of: (url: FoundUrl) => number;
  /** The crawl's page limit. */
  readonly limit: number | undefined;
  /** Pages of the shard's budget that were fetched, and how many more it wants; negative: how many it returns. */
  readonly spent: number;
  readonly want: number;
}

/** Makes progress durable. Safe to repeat with the same number when its answer was lost. */
export async function saveCheckpoint(
  db: Queryable,
  job: HeldJob,
  checkpoint: Checkpoint,
): Promise<SavedCheckpoint> {
  const values = checkpointValues(job, checkpoint);
  const answers = checkpoint.pages.flatMap(({ content }) => (content ? [content.kept] : []));
  const isKeeping = answers.some((kept) => kept);
  if (isKeeping) {
    values.push(answers.map((kept) => kept?.body.length));
    values.push(answers.map((kept) => kept && JSON.stringify(kept.answer)));
  }
  const isReplacing = checkpoint.replaced.length > 0;
  if (isReplacing) values.push(checkpoint.replaced);
  const { cookies } = checkpoint;
  const hasCookies = cookies.length > 0;
  if (hasCookies) {
    values.push(cookies.map(({ site }) => site));
    values.push(cookies.map(({ signedIn }) => signedIn));
    values.push(cookies.map((row) => row.cookies));
  }
  const { shard } = checkpoint;
  if (shard)
    values.push(
      shard.shard,
      job.ticket,
      checkpoint.found.map(shard.of),
      shard.spent,
      shard.want,
      shard.limit ?? null,
    );
  const parts = { isKeeping, isReplacing, hasCookies, isSharded: shard !== undefined };
  const [saved] = await run(db, checkpointStatementFor(parts), values);
  if (!saved) throw leaseLost(job);
  const { held: _, applied, ...result } = saved;
  if (applied) return result;
  const [state] = shard
    ? await run(db, repeatedOfShardStatement, [job.id, checkpoint.number, job.ticket])
    : await run(db, repeatedStatement, [job.id, checkpoint.number]);
  if (!state) throw new HoldfastError('internal_error', `checkpoint ${checkpoint.number} came out of turn`);
  return { ...result, ...state };
}

function checkpointValues(job: HeldJob, checkpoint: Checkpoint): unknown[] {
  const { pages, found, done, postponed, hosts } = checkpoint;
  const contents = pages.flatMap(({ url_hash, content }) => (content ? [{ url_hash, ...content }] : []));
  const packed = pack(contents);
  const now = performance.now();
  return [
    job.id,
    job.fence,
    checkpoint.number,
    checkpoint.progress,
    pages.filter(({ outcome }) => outcome === 'fetched').length,
    JSON.stringify(pages.map(columnsOf)),
    contents.map((content) => content.url_hash),
    packed.bytes,
    packed.starts,
    contents.map((content) => content.links?.length),
    arrayLiteral(found, (url) => url.host),
    arrayLiteral(found, (url) => url.url),
    arrayLiteral(found, (url) => url.url_hash),
    arrayLiteral(found, (url) => url.kind),
    arrayLiteral(found, (url) => url.depth),
    arrayLiteral(found, (url) => url.redirects),
    arrayLiteral(found, (url) => url.parent),
    done.map((entry) => entry.host),
    done.map((entry) => entry.seq),
    postponed.map((entry) => entry.host),
    postponed.map((entry) => entry.seq),
    postponed.map((entry) => entry.attempts),
    postponed.map((entry) => Math.max(0, entry.until - now) / 1000),
    [...hosts.keys()],
    [...hosts.values()].map((host) => host.lowSeq),
    checkpoint.currentUrl,
    JSON.stringify(checkpoint.offScope),
    checkpoint.discovery && JSON.stringify(checkpoint.discovery),
    checkpoint.bytes,
    [...hosts.values()].map((host) => host.pages),
    contents.map((content) => content.markdown?.length),
    contents.map((content) => content.html?.length),
    postponed.map((entry) => entry.refusals),
    postponed.map((entry) => JSON.stringify(entry.failure)),
  ];
}

/** Named one by one, which is faster than copying everything but the content. */
function columnsOf(page: Page): Record<keyof Page, unknown> {
  return {
    url_hash: page.url_hash,
    kind: page.kind,
    outcome: page.outcome,
    status: page.status,
    depth: page.depth,
    attempts: page.attempts,
    word_count: page.word_count,
    bytes: page.bytes,
    fetched_at: page.fetched_at,
    parent: page.parent,
    content_hash: page.content_hash,
    url: page.url,
    reason: page.reason,
    message: page.message,
    target_url: page.target_url,
    canonical_url: page.canonical_url,
    content_type: page.content_type,
    language: page.language,
    etag: page.etag,
    last_modified: page.last_modified,
    title: page.title,
    description: page.description,
    structured: page.structured,
    change: page.change,
    content_job: page.content_job,
    rendered: page.rendered,
    left_out: page.left_out,
    render_reason: page.render_reason,
    proxy: page.proxy,
    blocked: page.blocked,
  };
}

/** All contents concatenated, and where each begins, counted from 1. One value travels as bytes, array elements as hexadecimal text. */
function pack(contents: readonly PageContent[]): { bytes: Buffer; starts: number[] } {
  const starts: number[] = [];
  const pieces: Buffer[] = [];
  let end = 1;
  for (const { links, markdown, html, kept } of contents) {
    starts.push(end);
    for (const piece of [links, markdown, html, kept?.body]) {
      if (!piece) continue;
      pieces.push(piece);
      end += piece.length;
    }
  }
  return { bytes: Buffer.concat(pieces), starts };
}

const special = /["\\]/;
const specials = /["\\]/g;

/**
 * Formats a PostgreSQL array. The driver escapes every value; a checkpoint has many URLs, and almost none needs escaping, which makes
 * this more than twice as fast (ADR 32).
 */
export function arrayLiteral<Item>(
  items: readonly Item[],
  read: (item: Item) => string | number | null,
): string {
  let literal = '{';
  for (const item of items) {
    if (literal.length > 1) literal += ',';
    const value = read(item);
    literal += typeof value === 'string' ? quoted(value) : (value ?? 'NULL');
  }
  return `${literal}}`;
}

function quoted(text: string): string {
  return special.test(text) ? `"${text.replace(specials, '\\$&')}"` : `"${text}"`;
}
