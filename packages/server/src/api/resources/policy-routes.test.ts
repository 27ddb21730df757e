import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { createDueJobs } from '../../queue/policies/scheduler.ts';

const api = new ApiFixture();
const path = '/api/v1/policies';
const nobody = '00000000-0000-7000-8000-000000000000';
let alice: string;
let bob: string;
let viewer: string;
beforeEach(async () => {
  await api.pool.query('DELETE FROM crawl_policies');
  alice ??= await api.key();
  bob ??= await api.key({ user_id: 'bob' });
  viewer ??= await api.key({ scopes: ['jobs:read'] });
});

let count = 0;
async function made(fields: object = {}, key = alice) {
  const body = { kind: 'crawl', url: `https://example.com/${++count}`, ...fields };
  const answer = await api.call('POST', path, { key, body });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.anything()]);
  return answer.json();
}

/** Resolves when schedulers are told that a policy may be due. */
function announced(): Promise<void> {
  return new Promise((resolve) => {
    const forget = api.context.listener.on('policy', () => {
      forget();
      resolve();
    });
  });
}

describe('a policy over HTTP', () => {
  test('is made for the owner of the key, shown, and found where the answer says', async () => {
    const told = announced();
    const body = {
      kind: 'visit',
      url: 'https://Shop.example',
      executor: 'bot',
      frequency_hours: 0.5,
      options: { metadata: { shelf: 3 } },
    };
    const answer = await api.call('POST', path, { key: alice, body });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      ...body,
      id: expect.any(String),
      user_id: 'alice',
      url: 'https://shop.example/',
      priority: 0,
      lock_ttl_seconds: 600,
      max_retries: 3,
      retry_backoff_minutes: 5,
      timeout_minutes: 10,
      enabled: true,
      next_run_at: expect.stringMatching(/Z$/),
      last_success_at: null,
      last_failed_at: null,
      failure_count: 0,
      live_job_id: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const shown = await api.call('GET', String(answer.headers.location), { key: alice });
    expect(shown.json()).toEqual(answer.json());
    await told;
  });

  test.each<[string, object, string]>([
    ['another owner', { user_id: 'bob' }, 'user_id'],
    ['an unknown kind', { kind: 'collect' }, 'kind'],
    ['a URL of another scheme', { url: 'file:///etc/passwd' }, 'url'],
    ['a crawl by bots', { executor: 'bot' }, 'executor'],
    ['a private network of its own choice', { options: { needs_private: ['http://10.0.0.1'] } }, 'options'],
    ['an option nobody knows', { options: { colour: 'red' } }, 'options'],
    ['an option out of bounds', { options: { max_depth: 5000 } }, 'options.max_depth'],
    ['a frequency of nothing', { frequency_hours: 0 }, 'frequency_hours'],
    ['a frequency too fine', { frequency_hours: 0.00012 }, 'frequency_hours'],
    ['a year 0', { next_run_at: '0000-01-01T00:00:00Z' }, 'next_run_at'],
  ])('is refused with %s, and the field is named', async (_, fields, field) => {
    const answer = await api.call('POST', path, {
      key: alice,
      body: { kind: 'crawl', url: 'https://example.com/', ...fields },
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'bad_request']);
    expect(JSON.stringify(answer.json().error.details)).toContain(field);
  });

  test('is refused when its owner has it already', async () => {
    const first = await made({ url: 'https://example.com/once' });
    const answer = await api.call('POST', path, {
      key: alice,
      body: { kind: 'crawl', url: 'https://example.com/once' },
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([409, 'policy_exists']);
    expect(answer.json().error.message).toContain(first.id);
    await made({ url: 'https://example.com/once' }, bob);
  });

  test('is changed where the request names a field, and only there', async () => {
    const before = await made({ options: { max_depth: 1 }, priority: 3 });
    const told = announced();
    const answer = await api.call('PATCH', `${path}/${before.id}`, {
      key: alice,
      body: { frequency_hours: 48, options: { max_depth: 9 } },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      ...before,
      frequency_hours: 48,
      options: { max_depth: 9 },
      updated_at: answer.json().updated_at,
    });
    await told;
  });

  test.each<[string, object, number, string]>([
    ['nothing', {}, 400, 'bad_request'],
    ['its kind', { kind: 'visit' }, 400, 'bad_request'],
    ['its owner', { user_id: 'bob' }, 400, 'bad_request'],
    ['its options to those of another', { options: { needs_private: [] } }, 400, 'bad_request'],
    ['its executor to bots', { executor: 'bot' }, 400, 'bad_request'],
    ['its URL to one that is taken', { url: 'https://example.com/taken' }, 409, 'policy_exists'],
  ])('is not changed in %s', async (_, body, status, code) => {
    const { id } = await made();
    await made({ url: 'https://example.com/taken' });
    const answer = await api.call('PATCH', `${path}/${id}`, { key: alice, body });
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
  });

  test('is disabled, enabled, run before its time, and deleted', async () => {
    const { id } = await made({ next_run_at: '2100-01-01T00:00:00Z' });
    const act = (action: string) => api.call('POST', `${path}/${id}/${action}`, { key: alice });
    expect((await act('disable')).json().enabled).toBe(false);
    const refused = await act('run');
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'policy_disabled']);
    expect((await act('enable')).json().enabled).toBe(true);
    const told = announced();
    const ran = await act('run');
    expect([ran.statusCode, ran.json().outcome, ran.json().live_job_id]).toEqual([202, 'due', null]);
    expect(Date.parse(ran.json().next_run_at)).toBeLessThanOrEqual(Date.now() + 60_000);
    await told;
    const [job] = await createDueJobs(api.pool, 'scheduler:w1');
    const again = await act('run');
    expect([again.statusCode, again.json()]).toMatchObject([
      200,
      { outcome: 'live_job_exists', live_job_id: job?.job_id },
    ]);
    const deleted = await api.call('DELETE', `${path}/${id}`, { key: alice });
    expect([deleted.statusCode, deleted.json().live_job_id]).toEqual([200, job?.job_id]);
    expect((await api.call('GET', `${path}/${id}`, { key: alice })).statusCode).toBe(404);
    const { data } = (
      await api.call('GET', `/api/v1/jobs?search=${encodeURIComponent(job?.url ?? '')}`)
    ).json();
    expect(data).toMatchObject([{ id: job?.job_id, policy_id: null, status: 'pending' }]);
  });
});

describe('a list of policies', () => {
  test('comes in pages, newest first, with nothing twice or left out', async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await made()).id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await api.call('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`, { key: alice });
      expect(answer.statusCode).toBe(200);
      const page: { data: { id: string }[]; next_cursor: string | null } = answer.json();
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test('is narrowed by what the query says', async () => {
    const a = await made({ priority: 5, enabled: false, next_run_at: '2090-01-01T00:00:00Z' });
    const b = await made({ kind: 'visit', executor: 'bot', url: 'https://other.example/Shop' });
    const found = async (query: string) =>
      (await api.call('GET', `${path}?${query}`, { key: alice }))
        .json()
        .data.map(({ id }: { id: string }) => id);
    expect(await found('enabled=false')).toEqual([a.id]);
    expect(await found('enabled=true')).toEqual([b.id]);
    expect(await found('priority=5')).toEqual([a.id]);
    expect(await found('kind=visit')).toEqual([b.id]);
    expect(await found('executor=bot')).toEqual([b.id]);
    expect(await found('search=OTHER.example%2Fsh')).toEqual([b.id]);
    expect(await found('next_run_after=2080-01-01T00:00:00Z')).toEqual([a.id]);
    expect(await found('next_run_before=2080-01-01T00:00:00Z')).toEqual([b.id]);
    expect(await found('created_after=2080-01-01T00:00:00Z')).toEqual([]);
    expect(await found('created_before=2080-01-01T00:00:00Z')).toHaveLength(2);
  });

  test.each([
    'enabled=maybe',
    'limit=0',
    'limit=1001',
    'cursor=x',
    'priority=high',
    'created_after=now',
    'colour=red',
  ])('refuses ?%s', async (query) => {
    expect((await api.call('GET', `${path}?${query}`)).statusCode).toBe(400);
  });
});

describe("another owner's policy", () => {
  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { priority: 1 }],
    ['PATCH', '', { options: {} }],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
    ['POST', '/enable', undefined],
    ['POST', '/disable', undefined],
  ] as const)('is not there for %s%s', async (method, suffix, body) => {
    const { id } = await made();
    const answer = await api.call(method, `${path}/${id}${suffix}`, { key: bob, body });
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'policy_not_found']);
    expect((await api.call('GET', `${path}/${id}`, { key: alice })).json()).toMatchObject({
      priority: 0,
      enabled: true,
    });
    const missing = await api.call(method, `${path}/${nobody}${suffix}`, { key: alice, body });
    expect(missing.statusCode).toBe(404);
  });

  test('is in no list of theirs, and asking for it is refused', async () => {
    await made();
    expect((await api.call('GET', path, { key: bob })).json()).toEqual({ data: [], next_cursor: null });
    expect((await api.call('GET', `${path}?user_id=alice`, { key: bob })).statusCode).toBe(403);
  });

  test('is seen, found by owner and changed by operators', async () => {
    const { id } = await made();
    await made({}, bob);
    const operator = await api.key({ scopes: ['operate'], user_id: 'olga' });
    expect((await api.call('GET', path, { key: operator })).json().data).toHaveLength(2);
    const { data } = (await api.call('GET', `${path}?user_id=alice`, { key: operator })).json();
    expect(data.map((policy: { id: string }) => policy.id)).toEqual([id]);
    const changed = await api.call('PATCH', `${path}/${id}`, { key: operator, body: { priority: 9 } });
    expect(changed.json()).toMatchObject({ user_id: 'alice', priority: 9 });
  });
});

test('a key that only reads sees policies and changes none', async () => {
  const { id } = await made();
  expect((await api.call('GET', `${path}/${id}`, { key: viewer })).statusCode).toBe(200);
  for (const [method, url, body] of [
    ['POST', path, { kind: 'crawl', url: 'https://example.com/x' }],
    ['PATCH', `${path}/${id}`, { priority: 1 }],
    ['DELETE', `${path}/${id}`, undefined],
    ['POST', `${path}/${id}/run`, undefined],
    ['POST', `${path}/${id}/enable`, undefined],
    ['POST', `${path}/${id}/disable`, undefined],
  ] as const)
    expect((await api.call(method, url, { key: viewer, body })).statusCode, `${method} ${url}`).toBe(403);
});
