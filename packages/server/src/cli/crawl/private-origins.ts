import { canonicalOrigin, HoldfastError, settings } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { forbiddenOrigins } from '../../worker/supervisor/hand-back.ts';
import { printable } from '../terminal-text.ts';

/** Allows these origins, besides the configured ones, in this process and the runners it starts. */
export function allowPrivate(origins: readonly string[], configured: readonly string[]): void {
  const all = [...configured, ...origins.map(originOf)];
  if (all.length > 0) process.env[settings.allowPrivate.env] = [...new Set(all)].join(',');
}

export function originOf(text: string): string {
  const origin = /^[^/]+\/\/[^/]+\/?$/.test(text) ? canonicalOrigin(text) : undefined;
  if (origin !== undefined) return origin;
  throw new HoldfastError('bad_request', `--allow-private ${text} is not an origin`, {
    hint: 'Write it like http://localhost:8080, without a path; repeat the option for each origin.',
  });
}

/** Fails at once if this command may not fetch an origin of the job: it must not wait forever for a worker that may. */
export function assertMayFetch(payload: Readonly<Record<string, unknown>>, allowed: readonly string[]): void {
  const forbidden = forbiddenOrigins(payload, allowed).map(printable);
  if (forbidden.length === 0) return;
  const flags = forbidden.map((origin) => `--allow-private ${origin}`).join(' ');
  throw new HoldfastError('address_forbidden', forbidden.join(', '), {
    hint: `This crawl was started with private origins. Allow them again: ${flags}`,
  });
}

const refusedStatement = statement<{ message: string | null; url: string | null }>(
  'find-refused-origin',
  `
SELECT error_message AS message, (
  SELECT url FROM crawl_pages WHERE job_id = job.id AND outcome = 'failed' AND reason = 'address_forbidden'
  ORDER BY fetched_at DESC LIMIT 1) AS url
FROM crawl_jobs job WHERE id = $1`,
);

/** The private origin that a crawl was refused: its seed or robots.txt may have redirected there. */
export async function findRefusedOrigin(db: Queryable, jobId: string): Promise<string | undefined> {
  const [job] = await run(db, refusedStatement, [jobId]);
  const named = /https?:\/\/\S+$/.exec(job?.message ?? '')?.[0];
  return named ?? (job?.url ? new URL(job.url).origin : undefined);
}
