import { describe, expect, test } from 'vitest';
import { claimDeliveries } from './claim-deliveries.ts';
import { settleDelivered, settleFailed } from './settle-delivery.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

describe('a delivery', () => {
  test('is tried by one at a time, whatever the number of those who deliver', async () => {
    await hooks.hook();
    for (let n = 0; n < 6; n++) await hooks.completed();
    const held = hooks.receiver.hold();
    const deliverers = Array.from({ length: 5 }, () => hooks.deliverer());
    const allTurn = async () =>
      (await Promise.all(deliverers.map((deliverer) => deliverer.turn()))).reduce(
        (sum, begun) => sum + begun,
      );
    for (let begun = 0; begun < 6; ) begun += await allTurn();
    await hooks.receiver.got(6);
    // All are under way: nobody finds one that is free.
    expect(await allTurn()).toBe(0);
    held.open();
    await Promise.all(deliverers.map((deliverer) => deliverer.settled()));
    expect(await allTurn()).toBe(0);
    expect(hooks.receiver.ids).toHaveLength(6);
    expect(new Set(hooks.receiver.ids).size).toBe(6);
  });

  test('is not claimed by a second while a first is about to: it goes by, and does not wait', async () => {
    await hooks.hook();
    await hooks.completed();
    const [first, second] = [await hooks.pool.connect(), await hooks.pool.connect()];
    try {
      await first.query('BEGIN');
      expect(await claimDeliveries(first, { limit: 1, leaseSeconds: 45 })).toHaveLength(1);
      await second.query(`BEGIN; SET LOCAL lock_timeout = '5s'`);
      expect(await claimDeliveries(second, { limit: 1, leaseSeconds: 45 })).toEqual([]);
      await second.query('COMMIT');
      await first.query('COMMIT');
    } finally {
      first.release(true);
      second.release(true);
    }
  });

  test('is sent again with the same id when who sent it dies before saying so, and not before its lease has run out', async () => {
    await hooks.hook();
    await hooks.completed();
    // Sent, and then nothing: the word of success never reaches the database.
    const [claimed] = await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 45 });
    if (!claimed) throw new Error('nothing was claimed');
    await hooks.deliverDue();
    expect(hooks.receiver.received).toEqual([]);
    await hooks.passTime('46 seconds');
    await hooks.deliverDue();
    expect(hooks.receiver.ids).toEqual([`msg_${claimed.id}`]);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, fence: 2 }]);
    const failure = { status: 500, error: 'x', retrySeconds: 1, pauseSeconds: 1, disable: null };
    expect(await settleFailed(hooks.pool, claimed, failure)).toEqual({ held: false, disabled: false });
    expect(await settleDelivered(hooks.pool, claimed, 200)).toBe(false);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', last_status: 204 }]);
  });

  test('is settled by who has it now: the word of one whose lease has run out counts no more', async () => {
    await hooks.hook();
    await hooks.completed();
    const claim = async () => (await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 45 }))[0];
    const late = await claim();
    await hooks.passTime('46 seconds');
    const now = await claim();
    if (!late || !now) throw new Error('nothing was claimed');
    const failure = { status: 500, error: 'late', retrySeconds: null, pauseSeconds: 1, disable: 'late' };
    expect(await settleFailed(hooks.pool, late, failure)).toEqual({ held: false, disabled: false });
    expect(await settleDelivered(hooks.pool, late, 200)).toBe(false);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'pending', fence: 2, last_error: null }]);
    expect(await settleDelivered(hooks.pool, now, 200)).toBe(true);
  });
});
