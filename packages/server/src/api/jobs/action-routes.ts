import {
  actionRequest,
  apiJob,
  type Job,
  type JobAction,
  jobParams,
  type KeyScope,
  retryRequest,
  retryUrlsRequest,
  type UserAction,
} from '@holdfast/contract';
import { retryUrls } from '../../crawl/frontier/retry-urls.ts';
import { actOnJob, actOnJobs } from '../../ops/jobs/act-on-job.ts';
import { retryWithKey } from '../../queue/access/jobs-with-key.ts';
import { awaitAcknowledgement } from '../../queue/jobs/find-jobs.ts';
import type { Notifier } from '../../queue/jobs/notifications.ts';
import { type Caller, theCaller, visibleJob } from '../caller.ts';
import type { ApiContext, RouteGroup } from '../route-group.ts';
import { jobView } from './job-view.ts';

/** Taking a job away from its holder is for operators. */
export const actionScopes: Record<UserAction, KeyScope> = {
  runNow: 'jobs:write',
  pause: 'jobs:write',
  resume: 'jobs:write',
  cancel: 'jobs:write',
  retry: 'jobs:write',
  resetLock: 'operate',
  expire: 'operate',
};

const summaries: Record<UserAction, string> = {
  runNow: 'Start a waiting job now, ahead of its schedule, its retry or its host',
  pause: 'Pause a job; a running one saves its progress first',
  resume: 'Resume a paused job from its checkpoint',
  cancel: 'Cancel a job',
  retry: 'Retry a finished job; a completed visit or collect job runs again as a new job',
  resetLock: 'Take a running job away from its holder; it becomes ready again and keeps its retries',
  expire: 'Take a running job away from its holder and mark it expired, for a person to decide',
};

const conflict = 'Answers 409 if the status of the job does not allow the action.';
const retryDescription = `A failed, cancelled or expired job becomes ready again. A completed visit or collect job keeps its result:
the answer is a new job with the same request, and its \`rerun_of\` names this one.`;
const description = `Answers 202, with \`requested_action\`, if the holder of a running job has not acted within two seconds; it
acts at its next heartbeat. ${conflict}`;

const runNowDescription = `The job keeps its retries. A host that is paused after failures gets one request now. Retry-After and
limits stay in force, and the job waits again if it must. A source that an operator paused or disabled stays so: the call answers 409,
and the hint names the command that resumes it. A job that is already ready stays as it is; \`waiting\` says what it waits for.`;

const descriptions: Partial<Record<UserAction, string>> = {
  runNow: runNowDescription,
  retry: `${retryDescription} ${conflict}`,
};

/** One route per action: POST /api/v1/jobs/{id}/pause and so on. */
export const jobActionRoutes: RouteGroup = (server, context) => {
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

  const { pool, notifier } = context;
  for (const [index, path] of actionPaths('retryUrls').entries()) {
    server.post(
      `/:id/${path}`,
      {
        config: { access: { scope: 'jobs:write' } },
        schema: {
          hide: index > 0,
          operationId: 'retryJobUrls',
          tags: ['jobs'],
          summary: 'Retry failed and skipped pages of a finished crawl',
          params: jobParams,
          body: retryUrlsRequest,
          response: { 200: apiJob },
        },
      },
      async (request) => {
        const caller = theCaller(request);
        const { id } = request.params;
        await visibleJob(pool, caller, id);
        const { hashes, reasons } = request.body ?? {};
        const choice = { ...(hashes && { hashes }), ...(reasons && { reasons }) };
        const { job } = await retryWithKey(pool, caller.key, async (db) => {
          const changed = await retryUrls(db, id, choice, caller.actor);
          return { job: changed, live: [changed.id] };
        });
        await notifier.notify('requeued');
        return jobView(job);
      },
    );
  }
};

/** `reset-lock`, the usual spelling of a path, and `resetLock`, as `allowed_actions` names it. */
function actionPaths(action: JobAction): readonly string[] {
  const written = action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...new Set([written, action])];
}

/** Performs the action, and waits a moment for the holder of the job to acknowledge it. */
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

/** Wakes the holders of the job, or the workers that could take it now. */
export async function announce(notifier: Notifier, action: UserAction, { status }: Job): Promise<void> {
  if (status === 'processing' || action === 'resetLock' || action === 'expire')
    await notifier.notify('request');
  if (status === 'pending') await notifier.notify('requeued');
}
