import type { Intake } from '@holdfast/contract';
import { enqueueIntakes } from '../../intakes/enqueue-intakes.ts';
import { enqueueWithKey } from '../../keys/enqueue-with-key.ts';
import { enqueueJobs } from '../../queue/enqueue-jobs.ts';
import type { ApiContext } from '../api-context.ts';
import type { Caller } from '../caller.ts';
import { jobView } from '../jobs/job-view.ts';

interface Asked {
  readonly sources?: readonly string[] | undefined;
  readonly stagger_seconds?: number | undefined;
  readonly priority?: number | undefined;
}

/** The jobs are their intakes' owner's: within the quotas of the key, unless an operator acts for others. */
export async function enqueueFor(
  { pool, notifier }: Pick<ApiContext, 'pool' | 'notifier'>,
  { key, userId, actor }: Caller,
  intakes: readonly Intake[],
  { sources, stagger_seconds, priority }: Asked,
) {
  const isOwn = intakes.every(({ user_id }) => user_id === userId);
  const enqueued = await enqueueIntakes(
    pool,
    intakes,
    { sources, staggerSeconds: stagger_seconds, priority },
    (requests) => (isOwn ? enqueueWithKey(pool, key, requests, actor) : enqueueJobs(pool, requests, actor)),
  );
  if (enqueued.some(({ outcome }) => outcome === 'created')) await notifier.notify('work');
  return enqueued.map(({ job, ...rest }) => ({ ...rest, job: jobView(job) }));
}
