import { readConfiguration } from '@holdfast/contract';
import { expect, test, vi } from 'vitest';
import { awaitOutcome, sendTest } from './deliver-now.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

test('a webhook that is tested hears from a worker, or from who tests it when none is alive', async () => {
  const { id } = await hooks.hook();
  const [worker, self] = [hooks.deliverer(), hooks.deliverer()];
  const outcome = async () =>
    awaitOutcome(hooks.pool, await sendTest(hooks.pool, id), self, readConfiguration({}));
  expect(await outcome()).toMatchObject({ status: 'delivered', last_status: 204 });

  await hooks.pool.query(
    `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs)
     VALUES ('w1', 'here', 'b', 1, 's', '0', 1)`,
  );
  try {
    hooks.receiver.answer = () => ({ status: 500 });
    const sent = vi.spyOn(self, 'deliver');
    const waiting = outcome();
    await vi.waitFor(async () => expect(await worker.turn()).toBe(1), { timeout: 20_000 });
    expect(await waiting).toMatchObject({ status: 'pending', last_error: 'the receiver answered 500' });
    expect(sent).not.toHaveBeenCalled();

    // As `holdfast crawl` is: alive, and there for its own job alone.
    await hooks.pool.query('UPDATE workers SET max_jobs = 0');
    hooks.receiver.answer = () => ({ status: 204 });
    expect(await outcome()).toMatchObject({ status: 'delivered', last_status: 204 });
  } finally {
    await hooks.pool.query(`DELETE FROM workers WHERE id = 'w1'`);
  }
});
