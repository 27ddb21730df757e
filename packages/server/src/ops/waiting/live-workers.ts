import type { JobKind, WorkerShortage } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listensStill } from '../../queue/jobs/live-workers.ts';

/** A worker that takes jobs of others, if it is well. */
export interface LiveWorker {
  readonly kinds: readonly JobKind[];
  readonly allow_private: readonly string[];
  readonly is_sick: boolean;
  readonly has_room_for_crawl: boolean;
  /** Visits and collections share their places. */
  readonly has_room_for_other: boolean;
}

/** What they run is counted, not taken from their last heartbeat: as many rows as there are places. */
const readStatement = statement<LiveWorker>(
  'live-workers',
  `
SELECT DISTINCT kinds::text[] AS kinds, allow_private, trouble IS NOT NULL AS is_sick,
  crawls < coalesce(max_crawls, max_jobs) AS has_room_for_crawl,
  others < max_jobs - coalesce(max_crawls, 0) AS has_room_for_other
FROM workers CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE kind = 'crawl') AS crawls, count(*) FILTER (WHERE kind <> 'crawl') AS others
  FROM crawl_jobs WHERE status = 'processing' AND worker_id = workers.id
) running
WHERE ${listensStill('workers', 'workers.heartbeat_seconds')}`,
);

export function readLiveWorkers(db: Queryable): Promise<LiveWorker[]> {
  return run(db, readStatement);
}

/** Why none of them takes a job of this kind that is ready; undefined: one does in a moment. */
export function shortageFor(kind: JobKind, workers: readonly LiveWorker[]): WorkerShortage | undefined {
  if (workers.length === 0) return 'none';
  const able = workers.filter(({ kinds }) => kinds.includes(kind));
  if (able.length === 0) return 'other kinds';
  const well = able.filter(({ is_sick }) => !is_sick);
  if (well.length === 0) return 'sick';
  const room = kind === 'crawl' ? 'has_room_for_crawl' : 'has_room_for_other';
  return well.some((worker) => worker[room]) ? undefined : 'busy';
}
