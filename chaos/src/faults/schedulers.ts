import { HoldfastError } from '@holdfast/contract';
import { cancelJobs } from '../../../packages/server/src/queue/jobs/cancel-jobs.ts';
import { claimJobs } from '../../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../../packages/server/src/queue/jobs/complete-jobs.ts';
import { failJobs } from '../../../packages/server/src/queue/jobs/fail-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import { type Fault, scaled } from '../fault.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

const policyCount = 50;
const lane = { kind: 'crawl', executor: 'builtin', leaseSeconds: 120 } as const;
const actor = 'supervisor:chaos';

export const schedulers: Fault = {
  id: 'F16',
  title: 'eight schedulers, fifty policies, SIGKILL every two seconds and connections cut',
  run: (run) => {
    const count = run.scale < 0.5 ? 4 : 8;
    const env = { HOLDFAST_SCHEDULER_SECONDS: '0.2' };
    return withStage(run, { workers: count, jobsPerWorker: 0, origins: 1, env }, async (stage) => {
      const dueTimes = scaled(run, 1_000, 150);
      const { pool } = stage;
      await pool.query(
        `INSERT INTO crawl_policies (kind, url, frequency_hours, retry_backoff_minutes, next_run_at)
         SELECT 'crawl', 'https://example.com/' || n, 1000, 1440, now() + interval '1 day' FROM generate_series(1, $1) n`,
        [policyCount],
      );
      const notifier = new Notifier(pool);
      const expected: string[] = [];
      let [kills, cuts, killedAt] = [0, 0, performance.now()];
      while (expected.length < dueTimes) {
        expected.push(...(await makeDue(stage, Math.min(15, dueTimes - expected.length))));
        const woken = notifier.notify('policy');
        if (performance.now() - killedAt > 2_000) {
          killedAt = performance.now();
          const alive = stage.workers.filter(
            ({ hasExited, lines }) => !hasExited && lines.some(({ msg }) => /is ready/.test(msg)),
          );
          if (alive.length > 1) {
            run.random.pick(alive).signal('SIGKILL');
            stage.startWorker();
            kills++;
          }
          cuts += await cutConnections(stage);
        }
        await woken;
        await endJobs(stage, 12);
        await makeLiveOnesDue(stage);
        await endJobs(stage, policyCount);
      }
      await until('all jobs', async () => new Set(await madeTimes(stage)).size >= expected.length);
      await endJobs(stage, policyCount);
      // Time for a second job, if there were to be one: several turns of every scheduler.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const made = await madeTimes(stage);
      const missed = expected.filter((due) => !made.includes(due)).length;
      const duplicate =
        made.length - new Set(made).size + made.filter((due) => !expected.includes(due)).length;
      if (missed > 0) run.blame(`${missed} due times were missed`);
      if (duplicate > 0) run.blame(`${duplicate} jobs too many were made`);
      return {
        schedulers: count,
        policies: policyCount,
        due_times: expected.length,
        jobs: made.length,
        missed,
        duplicate,
        kills,
        cuts,
      };
    });
  },
};

/** Makes policies due that have no job, each at a time of its own. Answers with which and when. */
async function makeDue({ pool }: Stage, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ due: string }>(
    `UPDATE crawl_policies SET next_run_at = clock_timestamp() - random() * interval '1 minute'
     WHERE id = ANY (ARRAY(
       SELECT policy.id FROM crawl_policies policy
       WHERE next_run_at > now() AND NOT EXISTS (
         SELECT FROM crawl_jobs WHERE policy_id = policy.id AND status IN ('pending', 'processing'))
       ORDER BY random() LIMIT $1))
     RETURNING id || ' at ' || next_run_at AS due`,
    [limit],
  );
  return rows.map(({ due }) => due);
}

/** While a job is live, a due time is none of its own: the job's end sets the next one. */
async function makeLiveOnesDue({ pool }: Stage): Promise<void> {
  await pool.query(
    `UPDATE crawl_policies SET next_run_at = clock_timestamp() - interval '1 minute'
     WHERE id = ANY (ARRAY(SELECT policy_id FROM crawl_jobs WHERE status = 'pending' LIMIT 3))`,
  );
}

/** Ends live jobs, in one of the ways in which jobs end. */
async function endJobs({ pool, run }: Stage, limit: number): Promise<void> {
  const held = await claimJobs(pool, { lanes: [lane], limit, workerId: 'chaos' });
  const error = new HoldfastError('page_refused', 'gone');
  for (const job of held) {
    const way = run.random.next();
    if (way < 0.6) await completeJobs(pool, [job], actor);
    else {
      if (way > 0.8) await cancelJobs(pool, [job.id], 'user:chaos');
      await failJobs(pool, [{ ...job, error }], actor);
    }
  }
}

async function madeTimes({ pool }: Stage): Promise<string[]> {
  const { rows } = await pool.query<{ due: string }>(
    `SELECT policy_id || ' at ' || scheduled_for AS due FROM crawl_jobs`,
  );
  return rows.map(({ due }) => due);
}

async function cutConnections({ pool }: Stage): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
     AND application_name <> 'holdfast chaos' AND pid <> pg_backend_pid() AND random() < 0.3`,
  );
  return rowCount ?? 0;
}
