import { describe, expect, test } from 'vitest';
import { replayDelivery, sendTest } from './deliver-now.ts';
import { replayDeliveries } from './replay-deliveries.ts';
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

  const backingOff = async (id: string) => {
    await hooks.pool.query(
      `UPDATE webhooks SET failure_streak = 9, failing_since = now() - interval '1 day', not_before = now() + interval '6 hours'
       WHERE id = $1`,
      [id],
    );
  };

  test('of one is tried at once, though its webhook backs off and a hundred others are due', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await hooks.pool.query(`UPDATE webhook_deliveries SET status = 'dead', attempts = 12`);
    await hooks.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, event, next_attempt_at, payload)
       SELECT $1, 'webhook.test', now() - make_interval(secs => n), '{}' FROM generate_series(1, 100) n`,
      [id],
    );
    await backingOff(id);
    const replayed = await replayDelivery(hooks.pool, id, deliveryId);
    expect(replayed).toMatchObject({ status: 'pending', attempts: 0 });
    expect(Number(replayed.next_attempt_at)).toBeLessThan(Date.now() - 99_000);
    const deliverer = hooks.deliverer();
    expect(await deliverer.turn()).toBe(1);
    await deliverer.settled();
    expect(hooks.receiver.ids).toEqual([`msg_${deliveryId}`]);
  });

  test('of one that fails again lets the others wait on', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await sendTest(hooks.pool, id);
    await backingOff(id);
    hooks.receiver.answer = () => ({ status: 503 });
    await replayDelivery(hooks.pool, id, deliveryId);
    await hooks.deliverDue();
    expect(hooks.receiver.ids).toEqual([`msg_${deliveryId}`]);
  });

  test('of one for a disabled webhook is refused, and leaves it as it was', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await hooks.pool.query(`UPDATE webhook_deliveries SET status = 'dead', attempts = 12`);
    await hooks.pool.query(`UPDATE webhooks SET enabled = false, disabled_reason = 'it is gone'`);
    await expect(replayDelivery(hooks.pool, id, deliveryId)).rejects.toMatchObject({
      code: 'webhook_disabled',
      message: expect.stringContaining('it is gone'),
    });
    expect(await hooks.deliveries()).toMatchObject([{ status: 'dead', attempts: 12 }]);
  });

  test('of dead ones does not wait until the webhook has backed off; where none is dead, it goes on to', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await backingOff(id);
    await replayDeliveries(hooks.pool, id, {});
    expect(await hooks.deliverer().turn()).toBe(0);
    await hooks.pool.query(`UPDATE webhook_deliveries SET status = 'dead'`);
    await replayDeliveries(hooks.pool, id, {});
    await hooks.deliverDue();
    expect(hooks.receiver.ids).toEqual([`msg_${deliveryId}`]);
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
    await expect(replayDelivery(hooks.pool, other.id, deliveryId)).rejects.toThrow(/Delivery not found/);
    await expect(replayDelivery(hooks.pool, id, 'x')).rejects.toThrow(/Delivery not found/);
  });
});
