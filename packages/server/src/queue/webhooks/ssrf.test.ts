import { isIP } from 'node:net';
import { readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { forbiddenUrls } from '../../web/fetch/testing/forbidden-urls.ts';
import { trapSockets } from '../../web/fetch/testing/socket-trap.ts';
import { sendTest } from './deliver-now.ts';
import { Deliverer } from './deliverer.ts';
import { createWebhook, updateWebhook } from './edit-webhooks.ts';
import { findWebhook } from './find-webhooks.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

/** What was opened meanwhile, but for the receiver and the database. */
async function openedBy(act: () => Promise<unknown>): Promise<string[]> {
  const trap = trapSockets([hooks.receiver.port, Number(new URL(hooks.url).port)]);
  try {
    await act();
    return trap.opened;
  } finally {
    trap.release();
  }
}

/** As if it had been stored before the guard knew better, or by other means. */
async function stored(url: string): Promise<string> {
  const { id } = await hooks.hook();
  await hooks.pool.query('UPDATE webhooks SET url = $2 WHERE id = $1', [id, url]);
  return id;
}

describe.each([...forbiddenUrls, 'gopher://127.0.0.1/', 'file:///etc/passwd'])('%s', (url) => {
  test('is refused when a webhook is made with it, or changed to it', async () => {
    const { id, url: before } = await hooks.hook();
    const opened = await openedBy(async () => {
      const allowed = [hooks.receiver.origin];
      await expect(createWebhook(hooks.pool, { url }, allowed)).rejects.toThrow(/not allowed|url|port/i);
      await expect(updateWebhook(hooks.pool, id, { url }, allowed)).rejects.toThrow(/not allowed|url|port/i);
    });
    expect(opened).toEqual([]);
    expect((await findWebhook(hooks.pool, id)).url).toBe(before);
  });

  test('is sent nothing when it is stored all the same: the delivery is dead, and says no more than that', async () => {
    await sendTest(hooks.pool, await stored(url));
    expect(await openedBy(() => hooks.deliverDue())).toEqual([]);
    const [delivery] = await hooks.deliveries();
    expect(delivery).toMatchObject({ status: 'dead', attempts: 1, last_status: null });
    expect(delivery?.last_error).toMatch(/^(The address is not allowed|The URL cannot be fetched: .*)$/);
  });

  test('is sent nothing when a receiver redirects there', async () => {
    await sendTest(hooks.pool, (await hooks.hook()).id);
    const location = Buffer.from(url).toString('latin1');
    hooks.receiver.answer = () => ({ status: 308, headers: { location } });
    expect(await openedBy(() => hooks.deliverDue())).toEqual([]);
    expect(hooks.receiver.payloads).toMatchObject([{ type: 'webhook.test' }]);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'pending', last_status: 308 }]);
  });
});

describe('a public name', () => {
  /** Delivers with a resolver that answers each question with the next list. */
  async function deliverTo(url: string, ...lists: string[][]): Promise<string[]> {
    let asked = 0;
    const resolve = async () =>
      (lists[Math.min(asked++, lists.length - 1)] ?? []).map((address) => ({
        address,
        family: isIP(address),
      }));
    const configuration = readConfiguration({});
    const deliverer = new Deliverer({
      db: hooks.pool,
      log: pino({ level: 'silent' }),
      configuration,
      fetcher: new HttpFetcher({ resolve }),
    });
    const { id } = await createWebhook(hooks.pool, { url }, []);
    const opened = await openedBy(async () => {
      for (let n = 0; n < lists.length; n++) {
        await sendTest(hooks.pool, id);
        await hooks.passTime('1 hour');
        await deliverer.turn();
        await deliverer.settled();
      }
    });
    await deliverer.stop();
    return opened;
  }

  test.each([['10.0.0.1'], ['::1'], ['169.254.169.254'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1']])(
    'is sent nothing when it resolves to %s',
    async (...addresses) => {
      for (const scheme of ['http', 'https'])
        expect(await deliverTo(`${scheme}://hooks.example/`, addresses)).toEqual([]);
      expect((await hooks.deliveries()).map(({ status }) => status)).toEqual(['dead', 'dead']);
    },
  );

  test('that resolves to another address later is judged anew', async () => {
    const opened = await deliverTo('http://hooks.example/', ['93.184.216.34'], ['127.0.0.1']);
    expect(opened).toEqual(['93.184.216.34:80']);
  });
});

test('an origin that the configuration allows is reached, and no other port of it', async () => {
  const { id } = await hooks.hook();
  await sendTest(hooks.pool, id);
  await hooks.deliverDue(hooks.deliverer({ allowPrivate: [] }));
  expect([hooks.receiver.received.length, (await hooks.deliveries())[0]?.status]).toEqual([0, 'dead']);
  await hooks.passTime();
  await sendTest(hooks.pool, id);
  await hooks.deliverDue();
  expect(hooks.receiver.received).toHaveLength(1);
  await expect(hooks.hook({ url: 'http://127.0.0.1:8123/' })).rejects.toThrow(/not allowed/);
});

test('what a receiver answers is not read, and nothing of it is stored', async () => {
  await sendTest(hooks.pool, (await hooks.hook()).id);
  hooks.receiver.answer = () => ({
    status: 500,
    headers: { 'x-secret': 'internal', 'content-type': 'text/plain' },
    body: 'internal as well',
  });
  await hooks.deliverDue();
  expect(await hooks.deliveries()).toMatchObject([{ attempts: 1, last_status: 500 }]);
  const { rows } = await hooks.pool.query(
    'SELECT row_to_json(delivery)::text AS row FROM webhook_deliveries delivery',
  );
  expect(rows[0].row).not.toContain('internal');
});
