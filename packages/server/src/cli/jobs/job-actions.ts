import type { Job, UserAction } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { awaitAcknowledgement } from '../queue/jobs/find-jobs.ts';
import { Notifier } from '../queue/jobs/notifications.ts';
import { jobView } from '../../api/jobs/job-view.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { awaitAcknowledgement } from '../../queue/jobs/await-acknowledgement.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { answerEach } from '../answer-each.ts';
import { asTyped } from '../as-typed.ts';
import { waitText } from '../wait-text.ts';
import { withDatabase } from '../with-database.ts';

interface Options {
  json?: true;
  reason?: string;
  afresh?: true;
}

const descriptions: Record<UserAction, string> = {
  runNow: 'start jobs now that wait for their time, their retry or a host; they lose no retry',
  pause: 'stop jobs for now; running ones save their progress first',
  resume: 'go on with paused jobs from where they were',
  cancel: 'stop jobs for good',
  retry:
    'run finished jobs again at once: from their checkpoint, or completed visits and collections as new jobs',
  resetLock: 'take running jobs from their holders; they are ready again and lose no retry',
  expire: 'take running jobs from their holders and leave them expired, for a decision',
};

/** One command per user action; several ids may be given, and each is answered for itself. */
export const actionCommands = (Object.keys(descriptions) as UserAction[]).map((action) => {
  const command = new Command(asTyped(action))
    .description(descriptions[action])
    .argument('<id...>', 'ids of the jobs')
    .option('--reason <text>', 'why; kept in the timeline')
    .option('--json', 'print JSON, one line a job');
  if (action === 'retry') command.option('--afresh', 'start over instead of going on from the checkpoint');
  return command.action((ids: string[], { json, ...options }: Options, self: Command) =>
    withDatabase(self, async ({ database: { pool }, actor }) => {
      const notifier = new Notifier(pool);
      await answerEach(ids, json ?? false, async (id) => {
        const scheduled = action === 'retry' ? (await showJob(pool, id)).run_at : null;
        const changed = await actOnJob(pool, action, id, { actor, ...options });
        await notifier.notify(changed.status === 'processing' ? 'request' : 'requeued');
        const job = changed.requested_action ? await awaitAcknowledgement(pool, id) : changed;
        const again = job.id === id ? `job ${id}` : `job ${job.id}, which runs job ${id} again`;
        const waiting = changed.status === 'pending' ? await findWait(pool, job) : null;
        const aside = waiting ? asCalled(waitText(waiting)) : undefined;
        return { changed: { ...jobView(job), waiting }, told: `${again}: ${whatNow(job, scheduled)}`, aside };
      });
    }),
  );
});

/** `scheduled`: when it was to start, before it was made ready again. */
function whatNow({ status, requested_action, worker_id }: Job, scheduled: Date | null): string {
  if (scheduled && scheduled.getTime() > Date.now())
    return `${status}, to run at once: its start at ${scheduled.toISOString()} is dropped`;
  if (!requested_action || status !== 'processing') return status;
  return `asked to ${requested_action}; ${worker_id} lets go of it at its next heartbeat, or the watchdog does`;
}
