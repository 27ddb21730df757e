import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Fault, scaled } from '../fault.ts';
import { ApiProcess } from '../processes/api-process.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

export const exhaustion: Fault = {
  id: 'F8',
  title: 'somebody else takes every connection that PostgreSQL has',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 2 }, async (stage) => {
      const api = await ApiProcess.start(stage);
      const rounds = scaled(run, 5, 1);
      const answers: Record<string, number> = {};
      let [withoutRetryAfter, taken] = [0, 0];
      await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
      for (let round = 0; round < rounds; round++) {
        const after = stage.requests + 50;
        await until('more requests', () => stage.requests > after);
        const { rows } = await stage.pool.query<{ most: number }>(
          `SELECT current_setting('max_connections')::int AS most`,
        );
        const greedy = await takeAll(stage, rows[0]?.most ?? 100);
        taken = greedy.length;
        const end = performance.now() + 4_000;
        while (performance.now() < end) {
          const { status, headers } = await api.get('/api/v1/jobs');
          answers[`http_${status}`] = (answers[`http_${status}`] ?? 0) + 1;
          if (status === 503 && !headers.has('retry-after')) withoutRetryAfter++;
          if (status >= 500 && status !== 503) run.blame(`the API answered with ${status}`);
          await delay(100);
        }
        for (const client of greedy) await client.end().catch(() => undefined);
        await until('an answer of the API', async () => (await api.get('/api/v1/jobs')).status === 200, {
          seconds: 30,
        });
      }
      await stage.crawls.finish();
      if (!answers.http_503) run.blame('the API never said 503');
      if (withoutRetryAfter > 0) run.blame(`${withoutRetryAfter} answers 503 had no Retry-After`);
      return {
        rounds,
        taken,
        ...answers,
        without_retry_after: withoutRetryAfter,
        ...(await judgeCrawls(stage)),
      };
    }),
};

/** Takes every connection that is free, throws the workers' and the API's out, and takes those as well. */
async function takeAll({ pool, run }: Stage, most: number): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  // Held from the beginning: the pool could not open another one while all are taken.
  const own = await pool.connect();
  try {
    for (let round = 0; round < 5; round++) {
      while (taken.length < most) {
        const client = new pg.Client({ connectionString: run.server.urlOf('postgres') });
        client.on('error', () => undefined);
        try {
          await client.connect();
        } catch {
          break;
        }
        taken.push(client);
      }
      await own.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name <> 'holdfast chaos' AND pid <> pg_backend_pid()`,
      );
    }
    return taken;
  } catch (error) {
    // The next fault of this run needs them.
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    throw error;
  } finally {
    own.release();
  }
}
