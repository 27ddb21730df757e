import type { Job, UserAction } from '@holdfast/contract';
import { Command } from 'commander';
import { jobView } from '../../api/jobs/job-view.ts';
import { asCalled } from '../../base/process/installation.ts';
import { retryUrls } from '../../crawl/frontier/retry-urls.ts';
import { deleteOrphan } from '../../crawl/retention/delete-orphans.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { deleteJob } from '../../queue/jobs/delete-job.ts';
import { awaitAcknowledgement, showJob } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { commandNameOf } from '../check-flags.ts';
import { formatWait } from '../format-values.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';

interface JsonOption {
  json?: true;
}

interface ActionOptions extends JsonOption {
  reason?: string;
  afresh?: true;
}

const descriptions: Record<UserAction, string> = {
  runNow: 'start waiting jobs now, ahead of their schedule, retry or host; they keep their retries',
  pause: 'pause jobs; running ones save their progress first',
  resume: 'resume paused jobs from their checkpoint',
  cancel: 'cancel jobs',
  retry: 'run finished jobs again: from their checkpoint, or completed visits and collections as new jobs',
  resetLock: 'take running jobs away from their holders; they become ready again and keep their retries',
  expire: 'take running jobs away from their holders and mark them expired, for an operator to decide',
};

/** One command per action on any number of jobs. */
export const jobActionCommands = (Object.keys(descriptions) as UserAction[]).map((action) => {
  const command = new Command(commandNameOf(action))
    .description(descriptions[action])
    .argument('<id...>', 'job ids')
    .option('--reason <text>', 'reason, kept in the timeline')
    .option('--json', 'print JSON, one line per job');
  if (action === 'retry') command.option('--afresh', 'start over instead of continuing from the checkpoint');
  return command.action((ids: string[], { json, ...options }: ActionOptions, self: Command) =>
    withDatabase(self, async ({ database: { pool }, actor }) => {
      const notifier = new Notifier(pool);
      await actOnEach(ids, json ?? false, async (id) => {
        const scheduled = action === 'retry' ? (await showJob(pool, id)).run_at : null;
        const changed = await actOnJob(pool, action, id, { actor, ...options });
        await notifier.notify(changed.status === 'processing' ? 'request' : 'requeued');
        const job = changed.requested_action ? await awaitAcknowledgement(pool, id) : changed;
        const subject = job.id === id ? `job ${id}` : `job ${job.id}, a rerun of job ${id}`;
        const waiting = changed.status === 'pending' ? await findWait(pool, job) : null;
        return {
          changed: { ...jobView(job), waiting },
          message: `${subject}: ${describeState(job, scheduled)}`,
          note: waiting ? asCalled(formatWait(waiting)) : undefined,
        };
      });
    }),
  );
});

/** `scheduled`: the start that a retry dropped. */
function describeState({ status, requested_action, worker_id }: Job, scheduled: Date | null): string {
  if (scheduled && scheduled.getTime() > Date.now())
    return `${status}, runs now; its scheduled start at ${scheduled.toISOString()} is dropped`;
  if (!requested_action || status !== 'processing') return status;
  return `asked to ${requested_action}; ${worker_id} releases it at its next heartbeat, or the watchdog does`;
}

export const retryUrlsCommand = new Command('retry-urls')
  .description('retry failed and skipped pages of a finished crawl')
  .argument('<id>', 'job id')
  .option('--with <code...>', 'only those with these error codes or reasons, such as site_error or http_403')
  .option('--json', 'print JSON')
  .action((id: string, { json, with: reasons }: JsonOption & { with?: string[] }, command: Command) =>
    withDatabase(command, async ({ database, actor }) => {
      const job = await retryUrls(database.pool, id, reasons ? { reasons } : {}, actor);
      await new Notifier(database.pool).notify('requeued');
      console.log(json ? JSON.stringify(jobView(job)) : `job ${id}: ${job.status}`);
    }),
  );

export const deleteJobsCommand = new Command('delete')
  .description('delete jobs that have ended, with their pages and timelines')
  .argument('<id...>', 'job ids')
  .option('--with-results', 'delete their results and the price points they found as well')
  .option('--json', 'print JSON, one line per job')
  .action(
    (ids: string[], { json, withResults = false }: JsonOption & { withResults?: boolean }, self: Command) =>
      withDatabase(self, async ({ database: { pool }, log, actor }) => {
        await actOnEach(ids, json ?? false, async (id) => {
          const job = await deleteJob(pool, id, { withResults });
          log.info(
            { job: id, kind: job.kind, url: job.url, owner: job.user_id, by: actor, withResults },
            `Deleted job ${id}`,
          );
          const isCleared = await deleteOrphan(pool, id);
          const parts = [
            `job ${id}: deleted`,
            job.results > 0 && 'with its result',
            job.price_points > 0 && `with ${job.price_points} price points`,
            !isCleared && 'its pages are deleted when the recrawl that compares with them has ended',
          ];
          return { changed: { ...job, is_cleared: isCleared }, message: parts.filter(Boolean).join('; ') };
        });
      }),
  );
