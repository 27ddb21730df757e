import { describe, expect, test } from 'vitest';
import { type PolicyRequest, policyChange, policyFilter, policyRequest } from './policy.ts';

const policy = (fields: object = {}) => ({ kind: 'crawl', url: 'https://example.com/', ...fields });
const messagesOf = (fields: object) =>
  policyRequest
    .safeParse(policy(fields))
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('a policy', () => {
  test('needs a kind and a url alone', () => {
    expect(policyRequest.parse(policy())).toEqual({
      kind: 'crawl',
      url: 'https://example.com/',
      executor: 'builtin',
      frequency_hours: 24,
      priority: 0,
      lock_ttl_seconds: 600,
      max_retries: 3,
      retry_backoff_minutes: 5,
      timeout_minutes: null,
      enabled: true,
      options: {},
      user_id: 'local',
    });
  });

  test('gives a visit ten minutes unless it says otherwise, and a crawl no deadline', () => {
    expect(policyRequest.parse(policy({ kind: 'visit' })).timeout_minutes).toBe(10);
    expect(policyRequest.parse(policy({ kind: 'visit', timeout_minutes: 2 })).timeout_minutes).toBe(2);
    expect(policyRequest.parse(policy({ timeout_minutes: 90 })).timeout_minutes).toBe(90);
    expect(messagesOf({ kind: 'visit', timeout_minutes: null })).toEqual([
      'timeout_minutes: must not be null: a visit has a deadline',
    ]);
  });

  test.each([0.0001, 0.0003, 0.07, 0.29, 0.5, 1.1, 6, 12.3456, 24, 168, 1234.5678, 87_599.9999, 87_600])(
    'may run every %d hours',
    (frequency_hours) => {
      expect(messagesOf({ frequency_hours })).toEqual([]);
    },
  );

  test.each([
    0,
    -1,
    0.00001,
    0.00015,
    1.23456,
    1e-9,
    87_600.1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '6',
    null,
  ])('may not run every %j hours', (frequency_hours) => {
    expect(messagesOf({ frequency_hours })).not.toEqual([]);
  });

  test.each<[string, object, string]>([
    ['an unknown kind', { kind: 'collect' }, 'kind: '],
    ['a URL that is none', { url: 'ftp://example.com' }, 'url: must be an absolute http or https URL'],
    ['a URL too long', { url: `https://example.com/${'x'.repeat(2048)}` }, 'url: Too big'],
    ['a NUL in the URL', { url: 'https://example.com/\0' }, 'url: must be well-formed'],
    ['a crawl by bots', { executor: 'bot' }, 'executor: must be builtin: bots run visits only'],
    ['an option out of bounds', { options: { max_depth: -1 } }, 'options.max_depth: '],
    ['an option of the wrong type', { options: { include: 'x' } }, 'options.include: '],
    [
      'a second url',
      { options: { url: 'https://example.com/' } },
      'options.url: must not be set: use the field url',
    ],
    ['a NUL in an option', { options: { tag: 'a\0' } }, 'options: must be well-formed'],
    ['options beyond the limit', { options: { x: 'x'.repeat(1_000_001) } }, 'options: must be at most'],
    ['options that are a list', { options: [] }, 'options: '],
    ['a priority out of range', { priority: 1001 }, 'priority: '],
    ['a lease of no time', { lock_ttl_seconds: 0 }, 'lock_ttl_seconds: '],
    ['too many retries', { max_retries: 101 }, 'max_retries: '],
    ['a backoff of no time', { retry_backoff_minutes: 0 }, 'retry_backoff_minutes: '],
    ['a deadline beyond a week', { timeout_minutes: 10_081 }, 'timeout_minutes: '],
    ['a time without its zone', { next_run_at: '2030-01-31T08:00:00' }, 'next_run_at: '],
    ['no owner', { user_id: '' }, 'user_id: '],
    ['a field nobody knows', { colour: 'red' }, ': Unrecognized key'],
  ])('is refused for %s, once and in its place', (_, fields, message) => {
    expect(messagesOf(fields)).toEqual([expect.stringContaining(message)]);
  });

  test('keeps options that nobody here knows, and takes those of a visit as they are', () => {
    const options = { tags: ['a'], max_depth: -1 };
    expect(policyRequest.parse(policy({ kind: 'visit', options }) as PolicyRequest).options).toEqual(options);
  });
});

test('a change names at least one field, and never kind or owner', () => {
  expect(policyChange.safeParse({ priority: 3 }).data).toEqual({ priority: 3 });
  expect(policyChange.safeParse({ timeout_minutes: null }).success).toBe(true);
  for (const change of [{}, { kind: 'visit' }, { user_id: 'me' }, { failure_count: 0 }, { priority: 1001 }])
    expect(policyChange.safeParse(change).success, JSON.stringify(change)).toBe(false);
});

test('a list is of 50 unless it says otherwise, and of 1000 at most', () => {
  expect(policyFilter.parse({})).toEqual({ limit: 50 });
  for (const filter of [
    { limit: 0 },
    { limit: 1001 },
    { after: 'x' },
    { created_after: 'now' },
    { search: '' },
  ])
    expect(policyFilter.safeParse(filter).success, JSON.stringify(filter)).toBe(false);
});
