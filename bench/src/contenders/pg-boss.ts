import { PgBoss } from 'pg-boss';
import { batches, type Contender, payload, type Setting } from './contender.ts';

/** Batches of several sizes, by one or two loops that fetch and complete. */
export const settings: readonly Setting[] = [100, 500, 1000].flatMap((batch) => [
  { batch, loops: 1 },
  { batch, loops: 2 },
]);

const queue = 'noop';

export async function open(url: string, { batch: batchSize = 100, loops = 1 }: Setting): Promise<Contender> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(queue);
  return {
    fill: async (jobs) => {
      for (const numbers of batches(jobs, 1000)) {
        await boss.insert(
          queue,
          numbers.map((number) => ({ data: payload(number) })),
        );
      }
    },
    drain: async (jobs) => {
      const started = performance.now();
      let fetched = 0;
      async function work(): Promise<void> {
        while (fetched < jobs) {
          const found = await boss.fetch(queue, { batchSize });
          if (found.length === 0) return;
          fetched += found.length;
          await Promise.all(found.map(noop));
          await boss.complete(
            queue,
            found.map((job) => job.id),
          );
        }
      }
      await Promise.all(Array.from({ length: loops }, work));
      return performance.now() - started;
    },
    verify: async (jobs) => {
      const { rows } = await boss
        .getDb()
        .executeSql(
          `SELECT count(*)::int AS completed FROM pgboss.job WHERE name = $1 AND state = 'completed'`,
          [queue],
        );
      if (rows[0].completed !== jobs)
        throw new Error(`pg-boss: completed ${rows[0].completed} of ${jobs} jobs`);
    },
    close: () => boss.stop(),
  };
}

async function noop(_job: unknown): Promise<void> {}
