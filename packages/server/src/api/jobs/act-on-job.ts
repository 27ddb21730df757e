import {
  actionRequest,
  apiJob,
  type Job,
  type JobAction,
  jobParams,
  retryRequest,
  type UserAction,
} from '@holdfast/contract';
import { actOnJob, actOnJobs } from '../../ops/jobs/act-on-job.ts';
import { retryWithKey } from '../../queue/access/jobs-with-key.ts';
import { awaitAcknowledgement } from '../../queue/jobs/await-acknowledgement.ts';
import type { Notifier } from '../../queue/jobs/notifier.ts';
import type { ApiContext } from '../api-context.ts';
import type { RouteGroup } from '../api-server.ts';
import { type Caller, theCaller } from '../caller.ts';
import { actionScopes } from './action-scopes.ts';
import { jobView } from './job-view.ts';
import { visibleJob } from './visible-job.ts';

const summaries: Record<UserAction, string> = {
  runNow: 'Start a job now that waits for its time, its retry or a host',
  pause: 'Stop a job for now; a running one saves its progress first',
  resume: 'Go on with a paused job from where it was',
  cancel: 'Stop a job for good',
  retry: 'Run a finished job again; a completed visit or collect job as a new one',
  resetLock: 'Take a running job from its holder; it is ready again and loses no retry',
  expire: 'Take a running job from its holder and leave it expired, for a decision',
};

const conflict = 'Answers 409 if the job is in a status that does not allow it.';
const retryDescription = `A failed, cancelled or expired job is ready again. Of a completed visit or collect job the result stays:
the answer is a new job with the same request, whose \`rerun_of\` names this one.`;
const description = `Answers 202, with \`requested_action\`, if the holder of a running job has not acted on it within two
seconds: it does so at its next heartbeat. ${conflict}`;

const runNowDescription = `The job loses no retry. A host that is left alone after failures gets one request now; Retry-After and
limits hold on, and the job waits again if it must. A source that an operator paused or disabled stays so: answers 409, and the hint
names what resumes it. A job that is ready already stays as it is: \`waiting\` says what it waits for.`;

const descriptions: Partial<Record<UserAction, string>> = {
  runNow: runNowDescription,
  retry: `${retryDescription} ${conflict}`,
};

/** One route per action: POST /api/v1/jobs/{id}/pause and so on. */
export const actionRoutes: RouteGroup = (server, context) => {
  const routes = (Object.keys(summaries) as UserAction[]).flatMap((action) =>
    actionPaths(action).map((path, index) => ({ action, path, hide: index > 0 })),
  );
  for (const { action, path, hide } of routes) {
    const isRetry = action === 'retry';
    server.post(
      `/:id/${path}`,
      {
        config: { access: { scope: actionScopes[action] } },
        schema: {
          hide,
          operationId: `${action}Job`,
          tags: ['jobs'],
          summary: summaries[action],
          description: descriptions[action] ?? description,
          params: jobParams,
          body: isRetry ? retryRequest : actionRequest,
          response: { 200: apiJob, 202: apiJob },
        },
      },
      async (request, reply) => {
        const job = await act(context, theCaller(request), action, request.params.id, request.body ?? {});
        const isSettled = job.status !== 'processing' || job.requested_action === null;
        return reply.code(isSettled ? 200 : 202).send(jobView(job));
      },
    );
  }
};

/** Does what the caller asked of a job, and waits a moment for who holds it. */
export async function act(
  { pool, notifier }: ApiContext,
  caller: Caller,
  action: UserAction,
  id: string,
  { reason, afresh = false }: { reason?: string | undefined; afresh?: boolean },
): Promise<Job> {
  await visibleJob(pool, caller, id);
  const acting = { actor: caller.actor, afresh, ...(reason !== undefined && { reason }) };
  const changed =
    action === 'retry'
      ? (
          await retryWithKey(pool, caller.key, async (db) => {
            const [changed] = await actOnJobs(db, action, [id], acting);
            const job = changed ?? (await actOnJob(db, action, id, acting));
            return { job, live: [job.id], made: changed && changed.id !== id ? 1 : 0 };
          })
        ).job
      : await actOnJob(pool, action, id, acting);
  await announce(notifier, action, changed);
  return changed.requested_action ? awaitAcknowledgement(pool, id) : changed;
}

/** Wakes those who hold the job, or who could take it now. */
export async function announce(notifier: Notifier, action: UserAction, { status }: Job): Promise<void> {
  if (status === 'processing' || action === 'resetLock' || action === 'expire')
    await notifier.notify('request');
  if (status === 'pending') await notifier.notify('requeued');
}

/** `reset-lock`, as addresses are written; and as `allowed_actions` calls it, for those who take its word. */
export function actionPaths(action: JobAction): readonly string[] {
  const written = action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...new Set([written, action])];
}
