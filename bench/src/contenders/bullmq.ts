import { Queue, Worker } from 'bullmq';
import { batches, type Contender, payload, type Setting } from './contender.ts';

export const settings: readonly Setting[] = [{ concurrent: 100 }];

const name = 'noop';

export async function open(url: string, { concurrent = 100 }: Setting): Promise<Contender> {
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queue = new Queue(name, { connection });
  await queue.obliterate({ force: true });
  return {
    fill: async (jobs) => {
      for (const numbers of batches(jobs, 1000)) {
        await queue.addBulk(numbers.map((number) => ({ name, data: payload(number) })));
      }
    },
    drain: async (jobs) => {
      let completed = 0;
      const done = Promise.withResolvers<number>();
      const worker = new Worker(name, async () => {}, {
        connection,
        concurrency: concurrent,
        autorun: false,
      });
      worker.on('error', done.reject);
      worker.on('completed', () => {
        completed += 1;
        if (completed === jobs) done.resolve(performance.now() - started);
      });
      await worker.waitUntilReady();
      const started = performance.now();
      worker.run().catch(done.reject);
      const ms = await done.promise;
      await worker.close();
      return ms;
    },
    verify: async (jobs) => {
      const completed = await queue.getCompletedCount();
      if (completed !== jobs) throw new Error(`bullmq: completed ${completed} of ${jobs} jobs`);
    },
    close: () => queue.close(),
  };
}
