import { describe, expect, test } from 'vitest';
import { replayDeliveries, replayDelivery } from './replay-deliveries.ts';
import { sendTest } from './send-test.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

describe('a replay', () => {
  test('of dead ones leaves the others alone; since a time, it sends all from then on', async () => {
    const { id } = await hooks.hook();
    for (let n = 0; n < 5; n++) await sendTest(hooks.pool, id);
    const all = await hooks.deliveries();
    await hooks.deliverDue();
    await hooks.pool.query(`UPDATE webhook_deliveries SET status = 'dead' WHERE id = ANY ($1)`, [
      all.slice(0, 3).map((delivery) => delivery.id),
    ]);
    const { next, replayed } = await replayDeliveries(hooks.pool, id, {}, { batch: 2, forMs: -1 });
    expect([next, replayed]).toEqual([all[1]?.id, 2]);
    expect(await replayDeliveries(hooks.pool, id, {}, { after: next ?? '', batch: 2 })).toEqual({
      next: null,
      replayed: 1,
    });
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'pending',
      'delivered',
      'delivered',
    ]);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const since = (moment: string) => replayDeliveries(hooks.pool, id, { status: 'any', since: moment });
    expect((await since(future)).replayed).toBe(0);
    expect((await since('9999-12-31T23:59:59Z')).replayed).toBe(0);
    expect((await since(past)).replayed).toBe(2);
    expect((await since('1000-01-01T00:00:00Z')).replayed).toBe(0);
    await expect(replayDeliveries(hooks.pool, id, { status: 'any' })).rejects.toThrow(/since/);
    await hooks.deliverDue();
    expect(hooks.receiver.received).toHaveLength(10);
    expect(new Set(hooks.receiver.ids).size).toBe(5);
  });

  test('of one that is being sent waits for who sends it', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    const held = hooks.receiver.hold();
    const [one, other] = [hooks.deliverer(), hooks.deliverer()];
    await one.turn();
    await hooks.receiver.got(1);
    expect(await replayDelivery(hooks.pool, id, deliveryId)).toMatchObject({
      status: 'pending',
      attempts: 1,
    });
    expect(await other.turn()).toBe(0);
    held.open();
    await one.settled();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('of what is not there says so', async () => {
    const { id } = await hooks.hook();
    const other = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await expect(replayDelivery(hooks.pool, other.id, deliveryId)).rejects.toThrow(/no such delivery/);
    await expect(replayDelivery(hooks.pool, id, 'x')).rejects.toThrow(/no such delivery/);
  });
});
