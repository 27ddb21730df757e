import { setTimeout as delay } from 'node:timers/promises';
import { enqueueJobs } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { type Fault, scaled } from '../fault.ts';
import { ApiProcess } from '../processes/api-process.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { type BotJob, Fleet } from './fleet.ts';

const deadBots = 5;
const jobsOfDead = 10;

export const bots: Fault = {
  id: 'F11',
  title:
    'bots that submit twice, late, out of order or with another bot’s token, and lose the answers to their pulls',
  run: (run) =>
    withStage(run, { workers: 1, jobsPerWorker: 0, origins: 1 }, async (stage) => {
      const count = scaled(run, 2_000, 200);
      const api = await ApiProcess.start(stage, ['bots']);
      const requests = Array.from({ length: count }, (_, n) => ({
        kind: 'visit' as const,
        executor: 'bot' as const,
        payload: { url: `https://shop${n % 7}.example/${n}` },
        // Not so short that a busy machine lets the locks of those expire who work.
        lock_ttl_seconds: Math.max(4, Math.round(run.timings.leaseSeconds / 2)),
        max_retries: 100,
      }));
      await enqueueJobs(stage.pool, requests);
      const fleet = new Fleet(run, stage.pool, api);
      for (let n = 0; n < deadBots; n++) await fleet.pull(`dead-${n}`, jobsOfDead);
      // Somebody else's lease: its token must not do for a job that another bot holds.
      const stolen = await theft(stage, fleet);
      const habits = [
        fleet.steady,
        fleet.withoutToken,
        fleet.twice,
        fleet.failing,
        fleet.backwards,
        fleet.slow,
      ];
      const size = run.scale < 0.5 ? 12 : 40;
      await Promise.all(
        Array.from({ length: size }, (_, n) => {
          const habit = habits[n % habits.length] ?? fleet.steady;
          return fleet.work(`bot-${n}`, habit, n % 3 === 0);
        }),
      );
      return {
        jobs: count,
        bots: size + deadBots,
        lost_answers: fleet.lostAnswers,
        thefts: stolen,
        ...(await judge(stage, count)),
      };
    }),
};

/** Two bots hold a job each, and each submits the other's: refused, and nothing stored. */
async function theft({ run }: Stage, fleet: Fleet): Promise<number> {
  let refused = 0;
  for (let n = 0; n < 5; n++) {
    const [mine] = await fleet.pull(`thief-${n}`, 1);
    const [yours] = await fleet.pull(`owner-${n}`, 1);
    if (!mine || !yours) throw new Error('there was nothing to pull');
    const attempts: [BotJob, string][] = [
      [yours, yours.lease_token],
      [yours, mine.lease_token],
    ];
    for (const [job, lease_token] of attempts) {
      const answer = await fleet.submit(`thief-${n}`, { ...job, lease_token });
      if (answer.status === 200) run.blame(`bot thief-${n} submitted a job of owner-${n}`);
      else refused++;
    }
    for (const [bot, job] of [[`thief-${n}`, mine] as const, [`owner-${n}`, yours] as const])
      await fleet.submit(bot, job);
    await delay(1);
  }
  return refused;
}

async function judge({ run, pool }: Stage, count: number): Promise<Record<string, number>> {
  const { rows } = await pool.query<Record<string, string>>(`
    SELECT (SELECT count(*) FROM crawl_jobs WHERE status = 'completed') AS completed,
      (SELECT count(*) FROM crawl_results) AS results,
      (SELECT count(DISTINCT job_id) FROM crawl_results) AS jobs_with_result,
      (SELECT count(*) FROM job_events WHERE transition = 'complete') AS completions,
      (SELECT count(*) FROM crawl_results WHERE actor LIKE 'bot:dead-%') AS by_the_dead,
      (SELECT count(*) FROM job_events WHERE transition = 'recover' AND to_status = 'expired') AS expired,
      (SELECT count(*) FROM (SELECT FROM bot_pulls CROSS JOIN LATERAL jsonb_to_recordset(jobs) AS job (id uuid, fence bigint)
        GROUP BY job.id, job.fence HAVING count(*) > 1) twice) AS leases_twice`);
  const found = Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]),
  );
  for (const name of ['completed', 'results', 'jobs_with_result', 'completions'])
    if (found[name] !== count) run.blame(`${name}: ${found[name]} of ${count}`);
  for (const name of ['by_the_dead', 'leases_twice'])
    if (found[name] !== 0) run.blame(`${name}: ${found[name]}`);
  if ((found.expired ?? 0) < deadBots * jobsOfDead) run.blame(`only ${found.expired} locks expired`);
  return found;
}
