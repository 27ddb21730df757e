import type { JobStatus, TransitionName } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

export interface JobEvent {
  readonly event_no: number;
  readonly transition: TransitionName;
  readonly from_status: JobStatus | null;
  readonly to_status: JobStatus;
  readonly fence: number;
  readonly at: Date;
  readonly actor: string;
  readonly reason: string | null;
}

const listEventsStatement = statement<JobEvent>(
  'list-events',
  `
SELECT event_no, transition, from_status, to_status, fence, at, actor, reason
FROM job_events WHERE job_id = $1 AND event_no > $2 ORDER BY event_no LIMIT $3`,
);

/** The timeline of a job, oldest first, from behind event `after` on. */
export function listEvents(db: Queryable, jobId: string, after = 0, limit = 1000): Promise<JobEvent[]> {
  return run(db, listEventsStatement, [jobId, after, limit]);
}
