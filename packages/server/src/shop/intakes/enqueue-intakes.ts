import { HoldfastError, type Intake, type Job, type JobRequest } from '@holdfast/contract';
import { type Queryable, readNow, run, statement } from '../../base/database/statement.ts';
import type { EnqueuedJob } from '../../queue/jobs/enqueue-jobs.ts';
import { intakeKey } from '../../queue/jobs/job-request.ts';

export interface EnqueueOptions {
  /** Ids; by default every enabled source with an adapter. */
  readonly sources?: readonly string[] | undefined;
  readonly staggerSeconds?: number | undefined;
  readonly priority?: number | undefined;
}

export interface EnqueuedIntake {
  readonly intake_id: string;
  readonly source_id: string;
  readonly outcome: 'created' | 'repeated' | 'deduplicated';
  readonly job: Job;
}

/** Sources that can be asked; not those whose prices people import. */
const askableStatement = statement<{ id: string }>(
  'list-askable-sources',
  `
SELECT id FROM sources
WHERE configured AND enabled AND adapter_type IN ('json', 'html', 'module') AND ($1::text[] IS NULL OR id = ANY ($1))
ORDER BY tier DESC, id`,
);

/** Enough for a source with many pages; a longer run hangs. */
const timeoutSeconds = 600;

/**
 * Creates a collect job for each intake and source, with staggered starts, or returns the live job that already exists. `enqueue`
 * creates them within the caller's quotas.
 */
export async function enqueueIntakes(
  db: Queryable,
  intakes: readonly Intake[],
  { sources, staggerSeconds = 1, priority = 0 }: EnqueueOptions,
  enqueue: (requests: JobRequest[]) => Promise<EnqueuedJob[]>,
): Promise<EnqueuedIntake[]> {
  const askable = (await run(db, askableStatement, [sources])).map(({ id }) => id);
  const missing = sources?.find((id) => !askable.includes(id));
  if (missing !== undefined) throw new HoldfastError('adapter_missing', missing);
  if (askable.length === 0) throw new HoldfastError('adapter_missing', 'no enabled source has an adapter');
  const now = (await readNow(db)).getTime();
  const asked = intakes.flatMap((intake, row) =>
    askable.map((sourceId, column) => {
      const waitMs = (row + column) * staggerSeconds * 1000;
      const request: JobRequest = {
        kind: 'collect',
        payload: { intake_id: intake.id, ...(intake.title !== null && { title: intake.title }) },
        source_id: sourceId,
        user_id: intake.user_id,
        dedupe_key: intakeKey(intake.id, sourceId),
        timeout_seconds: timeoutSeconds,
        priority,
        ...(waitMs > 0 && { run_at: new Date(now + waitMs).toISOString() }),
      };
      return { intake, sourceId, request };
    }),
  );
  const enqueued = await enqueue(asked.map(({ request }) => request));
  return asked.map(({ intake, sourceId }, at) => {
    const answer = enqueued[at];
    if (!answer || answer.outcome === 'conflict')
      throw new HoldfastError('internal_error', 'the queue gave no answer');
    return { intake_id: intake.id, source_id: sourceId, outcome: answer.outcome, job: answer.job };
  });
}
