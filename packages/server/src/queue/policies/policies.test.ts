import type { Policy, PolicyChange, PolicyRequest } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, hostOf } from '../../web/urls/canonical-url.ts';
import { deletePolicy, updatePolicy } from './change-policy.ts';
import { createPolicy, upsertPolicy } from './create-policy.ts';
import { findPolicy, listPolicies } from './find-policies.ts';
import { PolicyFixture } from './testing/policy-fixture.ts';

const policies = new PolicyFixture();
const hours = 3600;
const nobody = '00000000-0000-7000-8000-000000000000';
const crawl = (fields: Partial<PolicyRequest> = {}): PolicyRequest => ({
  kind: 'crawl',
  url: 'https://example.com/',
  ...fields,
});

describe('a new policy', () => {
  test('is due at once, unless it says when', async () => {
    const policy = await createPolicy(policies.pool, crawl());
    expect(await policies.secondsToNextRun(policy.id)).toBeLessThanOrEqual(0);
    const later = await policies.create({ next_run_at: '2100-01-01T00:00:00+02:00' });
    expect(later.next_run_at).toEqual(new Date('2099-12-31T22:00:00Z'));
  });

  test('shows everything that was said of it', async () => {
    const request = {
      kind: 'visit',
      url: 'https://shop.example/a?b=c',
      executor: 'bot',
      frequency_hours: 0.3333,
      priority: -7,
      lock_ttl_seconds: 33,
      max_retries: 9,
      retry_backoff_minutes: 8,
      timeout_minutes: 7,
      enabled: false,
      options: { tags: ['ü'] },
      user_id: 'ann',
    } as const;
    const policy = await createPolicy(policies.pool, request as unknown as PolicyRequest);
    expect(policy).toMatchObject({ ...request, failure_count: 0, last_success_at: null, live_job_id: null });
    expect(await findPolicy(policies.pool, policy.id)).toEqual(policy);
  });

  test('is refused while its owner has one of the same kind and URL, however that is written', async () => {
    const first = await createPolicy(policies.pool, crawl({ url: 'https://Example.com:443' }));
    expect(first.url).toBe('https://example.com/');
    await expect(createPolicy(policies.pool, crawl())).rejects.toMatchObject({
      code: 'policy_exists',
      message: expect.stringContaining(first.id),
    });
    await createPolicy(policies.pool, crawl({ kind: 'visit' }));
    await createPolicy(policies.pool, crawl({ user_id: 'ann' }));
    await createPolicy(policies.pool, crawl({ url: 'https://example.com/?' }));
  });

  test.each<[string, object, string]>([
    ['a bad option', { options: { scope: 'moon' } }, 'bad_request'],
    ['a URL without a host', { url: 'https://./' }, 'bad_request'],
    ['a URL that becomes too long', { url: `https://example.com/${'ü'.repeat(1000)}` }, 'bad_request'],
  ])('is refused with %s', async (_, fields, code) => {
    await expect(createPolicy(policies.pool, crawl(fields))).rejects.toMatchObject({ code });
  });

  test.each([
    'https://example.com/a:1?b@c:2#d',
    'http://example.com:443/',
    'https://example.com:8443',
    'https://example.com./x',
    'https://example.com.:8443/',
    'https://[2001:db8::1]:8080/x',
    'https://xn--bcher-kva.example/?q=1',
    'https://Bücher.example?q=https://other.example/',
  ])('knows the host of %s as everyone else does', async (url) => {
    await createPolicy(policies.pool, crawl({ url }));
    const { rows } = await policies.pool.query('SELECT host FROM crawl_policies');
    expect(rows).toEqual([{ host: hostOf(canonicalUrl(url) ?? '') }]);
  });

  test('is made once by twenty requests at once', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => createPolicy(policies.pool, crawl())),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of all)
      if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('policy_exists');
  });
});

describe('a change', () => {
  test('touches the named fields and no other', async () => {
    const { id } = await policies.create({ options: { max_depth: 1 }, timeout_minutes: 5 });
    await policies.pool.query(`UPDATE crawl_policies SET updated_at = updated_at - interval '1 second'`);
    const before = await policies.find(id);
    const changes: Omit<PolicyChange, 'next_run_at'>[] = [
      { url: 'https://other.example/' },
      { frequency_hours: 48 },
      { priority: 5 },
      { lock_ttl_seconds: 5 },
      { max_retries: 0 },
      { retry_backoff_minutes: 9 },
      { timeout_minutes: null },
      { enabled: false },
      { options: { max_depth: 3 } },
    ];
    let expected: Policy = before;
    for (const change of changes) {
      const changed = await updatePolicy(policies.pool, before.id, change);
      expected = { ...expected, ...(change as Partial<Policy>), updated_at: changed.updated_at };
      expect(changed).toEqual(expected);
      expect(await findPolicy(policies.pool, before.id)).toEqual(expected);
    }
    expect(expected.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    const { rows } = await policies.pool.query('SELECT host FROM crawl_policies');
    expect(rows).toEqual([{ host: 'other.example' }]);
  });

  test('to a shorter frequency counts from now; to a longer one, from the next run on', async () => {
    const { id } = await policies.create({ frequency_hours: 168 });
    await policies.pool.query("UPDATE crawl_policies SET next_run_at = now() + interval '100 hours'");
    await updatePolicy(policies.pool, id, { frequency_hours: 240 });
    expect(await policies.secondsToNextRun(id)).toBeCloseTo(100 * hours, -2);
    await updatePolicy(policies.pool, id, { frequency_hours: 120 });
    expect(await policies.secondsToNextRun(id)).toBeCloseTo(100 * hours, -2);
    await updatePolicy(policies.pool, id, { frequency_hours: 2 });
    expect(await policies.secondsToNextRun(id)).toBeCloseTo(2 * hours, -2);
    await updatePolicy(policies.pool, id, { frequency_hours: 1, next_run_at: '2100-01-01T00:00:00Z' });
    expect((await policies.find(id)).next_run_at).toEqual(new Date('2100-01-01T00:00:00Z'));
  });

  test.each<[string, PolicyChange, string]>([
    ['to options that its kind does not take', { options: { max_depth: -1 } }, 'bad_request'],
    ['to bots, for a crawl', { executor: 'bot' }, 'bad_request'],
    ['of nothing', {}, 'bad_request'],
    ['of its kind', { kind: 'visit' } as PolicyChange, 'bad_request'],
    ['to a URL that is none', { url: 'mailto:ann@example.com' }, 'bad_request'],
    ['to the URL of another', { url: 'https://example.com/taken' }, 'policy_exists'],
  ])('%s is refused', async (_, change, code) => {
    const { id } = await policies.create();
    await policies.create({ url: 'https://example.com/taken' });
    await expect(updatePolicy(policies.pool, id, change)).rejects.toMatchObject({ code });
  });
});

describe("another owner's policy", () => {
  test('is not there', async () => {
    const { id } = await policies.create({ user_id: 'ann' });
    const notFound = { code: 'policy_not_found' };
    await expect(findPolicy(policies.pool, id, 'bob')).rejects.toMatchObject(notFound);
    await expect(updatePolicy(policies.pool, id, { priority: 1 }, 'bob')).rejects.toMatchObject(notFound);
    await expect(deletePolicy(policies.pool, id, 'bob')).rejects.toMatchObject(notFound);
    expect((await listPolicies(policies.pool, {}, 'bob')).rows).toEqual([]);
    expect((await listPolicies(policies.pool, {}, 'ann')).rows).toHaveLength(1);
    expect(await findPolicy(policies.pool, id, 'ann')).toMatchObject({ id, priority: 0 });
  });

  test.each([nobody, 'x', ''])('nor is one with the id %j', async (id) => {
    await expect(findPolicy(policies.pool, id)).rejects.toMatchObject({ code: 'policy_not_found' });
    await expect(deletePolicy(policies.pool, id)).rejects.toMatchObject({ code: 'policy_not_found' });
  });
});

describe('an upsert', () => {
  test('makes a policy, then changes it, and says which', async () => {
    const first = await upsertPolicy(policies.pool, crawl({ frequency_hours: 24 }));
    const second = await upsertPolicy(
      policies.pool,
      crawl({ frequency_hours: 12, options: { max_depth: 2 } }),
    );
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.policy).toMatchObject({
      id: first.policy.id,
      frequency_hours: 12,
      options: { max_depth: 2 },
    });
  });

  test('keeps the next run, unless it says when or runs more often', async () => {
    const { policy } = await upsertPolicy(policies.pool, crawl({ frequency_hours: 24 }));
    await policies.pool.query("UPDATE crawl_policies SET next_run_at = now() + interval '20 hours'");
    await upsertPolicy(policies.pool, crawl({ frequency_hours: 24, priority: 3 }));
    expect(await policies.secondsToNextRun(policy.id)).toBeCloseTo(20 * hours, -2);
    await upsertPolicy(policies.pool, crawl({ frequency_hours: 6 }));
    expect(await policies.secondsToNextRun(policy.id)).toBeCloseTo(6 * hours, -2);
    const said = await upsertPolicy(policies.pool, crawl({ next_run_at: '2100-01-01T00:00:00Z' }));
    expect(said.policy.next_run_at).toEqual(new Date('2100-01-01T00:00:00Z'));
  });

  test('by twenty at once makes one policy', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => upsertPolicy(policies.pool, crawl())));
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(all.map(({ policy }) => policy.id)).size).toBe(1);
  });
});

describe('a list', () => {
  test('comes newest first, page by page, each policy once', async () => {
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.push((await policies.create()).id);
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await listPolicies(policies.pool, { limit: 3, ...(after && { after }) });
      seen.push(...page.rows.map(({ id }) => id));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(made.toReversed());
  });

  test('is narrowed by each of its filters', async () => {
    const a = await policies.create({
      url: 'https://a.example/100%_Off',
      priority: 5,
      next_run_at: '2090-01-01T00:00:00Z',
    });
    const b = await policies.create({
      url: 'https://b.example/',
      kind: 'visit',
      executor: 'bot',
      enabled: false,
      next_run_at: '2080-01-01T00:00:00Z',
    });
    await policies.pool.query("UPDATE crawl_policies SET created_at = '2001-01-01' WHERE id = $1", [a.id]);
    const found = async (filter: Parameters<typeof listPolicies>[1]) =>
      (await listPolicies(policies.pool, filter)).rows.map(({ id }) => id);
    expect(await found({ enabled: true })).toEqual([a.id]);
    expect(await found({ enabled: false })).toEqual([b.id]);
    expect(await found({ kind: 'crawl' })).toEqual([a.id]);
    expect(await found({ executor: 'bot' })).toEqual([b.id]);
    expect(await found({ priority: 5 })).toEqual([a.id]);
    expect(await found({ created_before: '2010-01-01T00:00:00Z' })).toEqual([a.id]);
    expect(await found({ created_after: '2010-01-01T00:00:00Z' })).toEqual([b.id]);
    expect(await found({ next_run_before: '2085-01-01T00:00:00Z' })).toEqual([b.id]);
    expect(await found({ next_run_after: '2085-01-01T00:00:00Z' })).toEqual([a.id]);
    expect(await found({ search: '100%_oFF' })).toEqual([a.id]);
    expect(await found({ search: '%' })).toEqual([a.id]);
    expect(await found({ search: 'EXAMPLE' })).toEqual([b.id, a.id]);
    expect(await found({ enabled: true, kind: 'visit' })).toEqual([]);
    await expect(listPolicies(policies.pool, { limit: 0 })).rejects.toMatchObject({ code: 'bad_request' });
  });
});
