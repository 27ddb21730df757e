import { maxWebhooksPerOwner } from '@holdfast/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ApiFixture();
const path = '/api/v1/webhooks';
const nobody = '00000000-0000-7000-8000-000000000000';
let alice: string;
let bob: string;
let viewer: string;
beforeEach(async () => {
  await api.pool.query('DELETE FROM webhooks');
  await api.pool.query('DELETE FROM webhook_deliveries');
  alice ??= await api.key();
  bob ??= await api.key({ user_id: 'bob' });
  viewer ??= await api.key({ scopes: ['jobs:read'] });
});

async function made(fields: object = {}, key = alice) {
  const body = { url: 'https://example.com/hook', ...fields };
  const answer = await api.call('POST', path, { key, body });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.anything()]);
  return answer.json();
}

describe('a webhook over HTTP', () => {
  test('is made for the owner of the key, with a secret that no other answer has', async () => {
    const answer = await api.call('POST', path, { key: alice, body: { url: 'https://Example.com/hook#x' } });
    const { secret, ...webhook } = answer.json();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.any(String),
      user_id: 'alice',
      url: 'https://example.com/hook',
      description: null,
      events: ['job.completed', 'job.failed', 'job.cancelled', 'job.expired', 'price.changed'],
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      previous_secret_until: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const shown = await api.call('GET', String(answer.headers.location), { key: alice });
    expect(shown.json()).toEqual({ ...webhook, deliveries: { pending: 0, dead: 0 }, next_attempt_at: null });
    await api.call('POST', `${path}/${webhook.id}/test`, { key: alice });
    const { data } = (await api.call('GET', `${path}/${webhook.id}/deliveries`, { key: alice })).json();
    const answers = [
      shown,
      await api.call('GET', path, { key: alice }),
      await api.call('PATCH', `${path}/${webhook.id}`, { key: alice, body: { description: 'x' } }),
      await api.call('GET', `${path}/${webhook.id}/deliveries/${data[0].id}`, { key: alice }),
      await api.call('DELETE', `${path}/${webhook.id}`, { key: alice }),
    ];
    for (const { statusCode, body } of answers) {
      expect(statusCode).toBe(200);
      expect(body).not.toContain(secret);
      expect(body).not.toContain('whsec_');
    }
  });

  test.each<[string, object, number, string]>([
    ['another owner', { user_id: 'bob' }, 400, 'bad_request'],
    ['an unknown event', { events: ['job.eaten'] }, 400, 'bad_request'],
    ['no event', { events: [] }, 400, 'bad_request'],
    ['the event of tests', { events: ['webhook.test'] }, 400, 'bad_request'],
    ['a secret of its own', { secret: 'whsec_eA==' }, 400, 'bad_request'],
    ['a URL of another scheme', { url: 'file:///etc/passwd' }, 400, 'bad_request'],
    ['a password in the URL', { url: 'https://me:pass@example.com/' }, 400, 'bad_request'],
    ['an address of this network', { url: 'http://169.254.169.254/' }, 403, 'address_forbidden'],
    ['a name of this network', { url: 'http://metadata.google.internal/' }, 403, 'address_forbidden'],
    ['our own API', { url: 'http://localhost:7070/api/v1/jobs' }, 403, 'address_forbidden'],
  ])('is refused with %s', async (_, fields, status, code) => {
    const body = { url: 'https://example.com/hook', ...fields };
    const answer = await api.call('POST', path, { key: alice, body });
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
    expect((await api.call('GET', path, { key: alice })).json().data).toEqual([]);
  });

  test('is not led into this network by a change', async () => {
    const { id } = await made();
    const answer = await api.call('PATCH', `${path}/${id}`, {
      key: alice,
      body: { url: 'http://127.0.0.1/' },
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'address_forbidden']);
    expect((await api.call('GET', `${path}/${id}`, { key: alice })).json().url).toBe(
      'https://example.com/hook',
    );
  });

  test('is one of so many at most, however many are made at once', async () => {
    const body = { url: 'https://example.com/hook' };
    const answers = await Promise.all(
      Array.from({ length: maxWebhooksPerOwner + 5 }, () => api.call('POST', path, { key: alice, body })),
    );
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    expect(refused.map((answer) => [answer.statusCode, answer.json().error.code])).toEqual(
      Array.from({ length: 5 }, () => [409, 'too_many_webhooks']),
    );
    await made({}, bob);
  });

  test('is changed, disabled, enabled and deleted', async () => {
    const { id } = await made();
    const act = async (action: string) =>
      (await api.call('POST', `${path}/${id}/${action}`, { key: alice })).json();
    const delivery = await act('test');
    expect(await act('disable')).toMatchObject({ enabled: false, disabled_reason: expect.any(String) });
    for (const refused of ['test', `deliveries/${delivery.id}/replay`])
      expect((await act(refused)).error.code).toBe('webhook_disabled');
    expect(await act('enable')).toMatchObject({ enabled: true, disabled_reason: null });
    const change = { events: ['job.failed', 'job.failed'], description: 'pager' };
    const changed = await api.call('PATCH', `${path}/${id}`, { key: alice, body: change });
    expect(changed.json()).toMatchObject({ events: ['job.failed'], description: 'pager' });
    expect((await api.call('DELETE', `${path}/${id}`, { key: alice })).statusCode).toBe(200);
    expect((await api.call('GET', `${path}/${id}`, { key: alice })).statusCode).toBe(404);
  });

  test('gets another secret; the old one signs as well for as long as is said', async () => {
    const { id, secret } = await made();
    const rotate = async (body?: object) =>
      (await api.call('POST', `${path}/${id}/rotate-secret`, { key: alice, body })).json();
    const first = await rotate();
    expect(first.secret).not.toBe(secret);
    expect(Date.parse(first.previous_secret_until)).toBeGreaterThan(Date.now());
    expect((await rotate({ overlap_hours: 0 })).previous_secret_until).toBeNull();
    const { rows } = await api.pool.query('SELECT previous_secret FROM webhooks');
    expect(rows).toEqual([{ previous_secret: null }]);
  });
});

describe('deliveries over HTTP', () => {
  test('are listed in pages, shown with what they tell, and replayed', async () => {
    const { id } = await made();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const tested = await api.call('POST', `${path}/${id}/test`, { key: alice });
      expect([tested.statusCode, tested.json().event]).toEqual([202, 'webhook.test']);
      ids.push(tested.json().id);
    }
    const list = async (query: string) =>
      (await api.call('GET', `${path}/${id}/deliveries?${query}`, { key: alice })).json();
    const first = await list('limit=2');
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map((delivery) => delivery.id)).toEqual(ids.toReversed());
    expect(second.next_cursor).toBeNull();
    const shown = await api.call('GET', `${path}/${id}/deliveries/${ids[0]}`, { key: alice });
    expect(shown.json().payload).toEqual({
      type: 'webhook.test',
      version: 1,
      timestamp: expect.any(String),
      data: { webhook_id: id, user_id: 'alice' },
    });
    await api.pool.query(
      `UPDATE webhook_deliveries SET status = 'dead', last_error = 'x' WHERE id = ANY ($1)`,
      [ids.slice(0, 2)],
    );
    expect((await list('status=dead')).data).toHaveLength(2);
    expect((await list('status=pending')).data).toHaveLength(1);
    const one = await api.call('POST', `${path}/${id}/deliveries/${ids[0]}/replay`, { key: alice });
    expect([one.statusCode, one.json()]).toMatchObject([202, { id: ids[0], status: 'pending', attempts: 0 }]);
    const rest = await api.call('POST', `${path}/${id}/replay`, { key: alice });
    expect([rest.statusCode, rest.json()]).toEqual([202, { replayed: 1, next_cursor: null }]);
    const any = await api.call('POST', `${path}/${id}/replay`, { key: alice, body: { status: 'any' } });
    expect([any.statusCode, JSON.stringify(any.json().error)]).toEqual([
      400,
      expect.stringContaining('since'),
    ]);
    const missing = await api.call('POST', `${path}/${id}/deliveries/${nobody}/replay`, { key: alice });
    expect([missing.statusCode, missing.json().error.code]).toEqual([404, 'delivery_not_found']);
  });
});

describe("another owner's webhook", () => {
  test('is not there, and hears nothing of what is not its own', async () => {
    const { id } = await made();
    const { id: deliveryId } = (await api.call('POST', `${path}/${id}/test`, { key: alice })).json();
    const theirs = await made({ events: ['job.cancelled'] }, bob);
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', '', undefined],
      ['POST', '/enable', undefined],
      ['POST', '/disable', undefined],
      ['POST', '/test', undefined],
      ['POST', '/rotate-secret', undefined],
      ['POST', '/replay', undefined],
      ['GET', '/deliveries', undefined],
      ['GET', `/deliveries/${deliveryId}`, undefined],
      ['POST', `/deliveries/${deliveryId}/replay`, undefined],
    ] as const) {
      const answer = await api.call(method, `${path}/${id}${suffix}`, { key: bob, body });
      expect([suffix, answer.statusCode, answer.json().error.code]).toEqual([
        suffix,
        404,
        'webhook_not_found',
      ]);
    }
    // Nor is a delivery reached through a webhook of one's own.
    const crossed = await api.call('GET', `${path}/${theirs.id}/deliveries/${deliveryId}`, { key: bob });
    expect([crossed.statusCode, crossed.json().error.code]).toEqual([404, 'delivery_not_found']);
    expect((await api.call('GET', path, { key: bob })).json().data).toMatchObject([{ id: theirs.id }]);
    expect((await api.call('GET', `${path}?user_id=alice`, { key: bob })).statusCode).toBe(403);
    const { job } = await enqueueJob(api.pool, {
      kind: 'crawl',
      payload: { url: 'https://example.com/' },
      user_id: 'alice',
    });
    await api.call('POST', `/api/v1/jobs/${job.id}/cancel`, { key: alice });
    expect((await api.call('GET', `${path}/${theirs.id}/deliveries`, { key: bob })).json().data).toEqual([]);
    const { data } = (await api.call('GET', `${path}/${id}/deliveries`, { key: alice })).json();
    expect(data.map(({ event }: { event: string }) => event)).toEqual(['job.cancelled', 'webhook.test']);
  });

  test('is seen and steered by operators, who see no secret of it either', async () => {
    const { id } = await made();
    const operator = await api.key({ scopes: ['operate'], user_id: 'olga' });
    const { data } = (await api.call('GET', `${path}?user_id=alice&enabled=true`, { key: operator })).json();
    expect(data).toMatchObject([{ id }]);
    expect(JSON.stringify(data)).not.toContain('whsec_');
    expect((await api.call('POST', `${path}/${id}/disable`, { key: operator })).statusCode).toBe(200);
  });
});

test('a key that only reads sees webhooks, and neither makes, tests nor replays', async () => {
  const { id } = await made();
  expect((await api.call('GET', `${path}/${id}`, { key: viewer })).statusCode).toBe(200);
  for (const [method, url, body] of [
    ['POST', path, { url: 'https://example.com/x' }],
    ['PATCH', `${path}/${id}`, { description: 'x' }],
    ['DELETE', `${path}/${id}`, undefined],
    ['POST', `${path}/${id}/test`, undefined],
    ['POST', `${path}/${id}/replay`, undefined],
    ['POST', `${path}/${id}/rotate-secret`, undefined],
  ] as const)
    expect((await api.call(method, url, { key: viewer, body })).statusCode, `${method} ${url}`).toBe(403);
});
