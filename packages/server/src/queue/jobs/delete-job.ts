import { HoldfastError, type JobKind, type JobStatus, terminalStatuses } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/not-found.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { inBatches } from './delete-in-batches.ts';

export interface DeletedJob {
  readonly id: string;
  readonly kind: JobKind;
  /** In which it was. */
  readonly status: JobStatus;
  readonly url: string | null;
  readonly user_id: string;
  /** Deleted with it, where that was asked for. */
  readonly results: number;
  readonly price_points: number;
}

export interface DeleteOptions {
  /** Its result and the price points that it found as well. */
  readonly withResults?: boolean;
  /** Whose job it must be; without, anybody's. */
  readonly owner?: string | undefined;
}

const finished = terminalStatuses.map((status) => `'${status}'`).join(', ');
const ofDeleted = 'job_id = ANY (ARRAY(SELECT id FROM deleted))';

/*
 * The row goes first, and with it whatever is short. From then on the job is not there for anybody, however long its pages
 * take and whatever dies meanwhile: they are found by the row that is missing (frontier/delete-orphans.ts).
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

/** Deletes a job that has ended, with its timeline. What it stored is nobody's then; deleteOrphan removes it. */
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
