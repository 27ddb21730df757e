import { HoldfastError, type JobKind, type JobStatus, terminalStatuses } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/**
 * For the WHERE of statements that delete jobs and then, in batches, what the jobs stored. It disables the trigger that would delete
 * everything in the same statement (migration 0030), until the transaction ends.
 */
export const inBatches = `(SELECT set_config('holdfast.deletes_in_batches', 'on', true)) = 'on'`;

export interface DeletedJob {
  readonly id: string;
  readonly kind: JobKind;
  /** Before it was deleted. */
  readonly status: JobStatus;
  readonly url: string | null;
  readonly user_id: string;
  /** How many were deleted with it, if asked for. */
  readonly results: number;
  readonly price_points: number;
}

interface DeleteOptions {
  /** Delete its result and its price points as well. */
  readonly withResults?: boolean;
  /** Only a job of this owner. */
  readonly owner?: string | undefined;
}

const finished = terminalStatuses.map((status) => `'${status}'`).join(', ');
const ofDeleted = 'job_id = ANY (ARRAY(SELECT id FROM deleted))';

/*
 * Deletes the row first, with everything short. The job is gone from then on; its pages are deleted later as orphans of the
 * missing row, even if this process dies.
 */
const deleteStatement = statement<DeletedJob & { deleted: boolean }>(
  'delete-job',
  `
WITH found AS MATERIALIZED (
  SELECT id, kind, status, payload ->> 'url' AS url, user_id FROM crawl_jobs
  WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE
),
deleted AS (
  DELETE FROM crawl_jobs WHERE ${inBatches} AND id = ANY (ARRAY(SELECT id FROM found WHERE status::text IN (${finished})))
  RETURNING id
),
event AS (DELETE FROM job_events WHERE ${ofDeleted}),
submission AS (DELETE FROM bot_submissions WHERE ${ofDeleted}),
suspect AS (DELETE FROM crawl_suspects WHERE ${ofDeleted}),
result AS (DELETE FROM crawl_results WHERE $3 AND ${ofDeleted} RETURNING 1),
point AS (DELETE FROM price_points WHERE $3 AND ${ofDeleted} RETURNING intake_id),
revalued AS (
  UPDATE intakes SET valuation_due = true WHERE NOT valuation_due AND id = ANY (ARRAY(SELECT intake_id FROM point))
)
SELECT found.*, EXISTS (SELECT FROM deleted) AS deleted, (SELECT count(*) FROM result) AS results,
  (SELECT count(*) FROM point) AS price_points
FROM found`,
);

/** Deletes a job that has ended, with its timeline. Its pages become orphans, which deleteOrphan removes. */
export async function deleteJob(
  db: Queryable,
  id: string,
  { withResults = false, owner }: DeleteOptions = {},
): Promise<DeletedJob> {
  const [found] = isId(id) ? await run(db, deleteStatement, [id, owner, withResults]) : [];
  if (!found) throw notFound('job_not_found', id);
  const { deleted, ...job } = found;
  if (deleted) return job;
  throw new HoldfastError(
    'action_not_allowed',
    `job ${id} is ${job.status}, and only a job that has ended can be deleted`,
    {
      hint: `Cancel it (\`holdfast jobs cancel ${id}\`), then delete it.`,
    },
  );
}
