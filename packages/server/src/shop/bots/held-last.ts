import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { AskedLease } from './bot-leases.ts';

/*
 * Of the claims of a job and all that this bot did to it, the last must be its own claim: it then neither submitted, nor did
 * anybody hold the job since. Backwards along the key, so that it reads the few events behind that claim.
 */
const heldLastStatement = statement<{ position: number }>(
  'held-last',
  `
SELECT asked.position::integer FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (job_id, bot_id, position)
CROSS JOIN LATERAL (
  SELECT transition, actor FROM job_events
  WHERE job_id = asked.job_id AND (transition = 'claim' OR actor = 'bot:' || asked.bot_id)
  ORDER BY event_no DESC LIMIT 1
) latest
WHERE latest.transition = 'claim' AND latest.actor = 'bot:' || asked.bot_id`,
);

/**
 * Of leases whose jobs nobody holds now: those that ran out, or were taken away, with nobody holding the job since. To be
 * asked in a statement behind the one that locked the jobs: what it waited for is not to be seen in its own.
 */
export async function heldLast(
  db: Queryable,
  leases: readonly AskedLease[],
): Promise<ReadonlySet<AskedLease>> {
  if (leases.length === 0) return new Set();
  const rows = await run(db, heldLastStatement, [
    leases.map(({ jobId }) => jobId),
    leases.map(({ botId }) => botId),
  ]);
  return new Set(rows.map(({ position }) => leases[position - 1] as AskedLease));
}
