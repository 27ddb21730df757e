import type { Intake } from '@holdfast/contract';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import { enqueueAndWake } from '../../queue/jobs/enqueue-and-wake.ts';
import { enqueueIntakes } from '../../shop/intakes/enqueue-intakes.ts';
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
  context: Pick<ApiContext, 'pool' | 'notifier'>,
  { key, userId, actor }: Caller,
  intakes: readonly Intake[],
  { sources, stagger_seconds, priority }: Asked,
) {
  const isOwn = intakes.every(({ user_id }) => user_id === userId);
  const enqueued = await enqueueIntakes(
    context.pool,
    intakes,
    { sources, staggerSeconds: stagger_seconds, priority },
    (requests) =>
      isOwn ? enqueueWithKey(context, key, requests, actor) : enqueueAndWake(context, requests, actor),
  );
  return enqueued.map(({ job, ...rest }) => ({ ...rest, job: jobView(job) }));
}
