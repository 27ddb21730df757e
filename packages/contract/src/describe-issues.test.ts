import { expect, test } from 'vitest';
import { readConfiguration } from './configuration.ts';
import { describeIssues } from './describe-issues.ts';
import { HoldfastError } from './errors.ts';
import { jobFilter, jobRequest } from './job.ts';
import { policyRequest } from './policy.ts';

const crawl = (fields: object, payload: object = { url: 'https://example.com/' }) => ({
  kind: 'crawl',
  payload,
  ...fields,
});

test.each<[object, string]>([
  [crawl({}, {}), 'payload.url is missing'],
  [crawl({}, { url: 'ftp://a' }), 'payload.url must be an absolute http or https URL'],
  [crawl({}, { url: 'https://a', max_pages: 0 }), 'payload.max_pages must be at least 1'],
  [crawl({}, { url: 'https://a', include: [''] }), 'payload.include[0] must not be empty'],
  [crawl({}, { url: 'https://a', scope: 'world' }), 'payload.scope must be one of host, subdomains, any'],
  [crawl({}, { url: 'https://a', markdown: 'yes' }), 'payload.markdown must be true or false'],
  [
    crawl({}, { url: 'https://a', user_agent: 'x\r\ny: z' }),
    'payload.user_agent must contain only visible ASCII characters and spaces, because it is sent as a header',
  ],
  [crawl({ priority: 5_000 }), 'priority must be at most 1000'],
  [crawl({ priority: 1.5 }), 'priority must be a whole number'],
  [crawl({ colour: 'red' }), 'colour is not a known field'],
  [crawl({}, { url: 'https://a', metadata: 1, urls: ['https://b', 7] }), 'payload.urls[1] must be text'],
  [{ kind: 'walk' }, 'kind must be one of crawl, visit, collect'],
  [{ kind: 'collect', payload: { query: [] } }, 'payload.query must be an object'],
  [crawl({ run_at: 'tomorrow' }), 'run_at must be a time with its zone, such as 2030-01-31T08:00:00Z'],
  [[], 'must be an object'],
  [crawl({ priority: 5_000 }, {}), 'payload.url is missing; priority must be at most 1000'],
])('%j: %s', (request, message) => {
  const { error } = jobRequest.safeParse(request);
  expect(error && describeIssues(error)).toBe(message);
});

test('a problem of an option of a policy is told like any other', () => {
  const policy = { kind: 'crawl', url: 'https://a', frequency_hours: 0.00015, options: { max_depth: 'x' } };
  const { error } = policyRequest.safeParse(policy);
  expect(error && describeIssues(error)).toBe(
    'frequency_hours must be a multiple of 0.0001; options.max_depth must be a number',
  );
});

test('whoever asks names the fields', () => {
  const { error } = jobFilter.safeParse({ limit: 0 });
  expect(error && describeIssues(error, (field) => `--${field}`)).toBe('--limit must be at least 1');
});

test.each<[Record<string, string>, object, string]>([
  [{}, { port: 'abc' }, '--port must be a whole number'],
  [{ HOLDFAST_PORT: '7' }, { port: '70000' }, '--port must be at most 65535'],
  [{ HOLDFAST_PORT: 'abc' }, {}, 'HOLDFAST_PORT must be a whole number'],
  [{}, { maxConcurrentJobs: 'x' }, '--max-concurrent-jobs must be a whole number'],
  [{ DATABASE_URL: 'mysql://x' }, {}, 'DATABASE_URL must start with postgresql://'],
  [
    { HOLDFAST_ALLOW_PRIVATE: 'http://a.test, localhost:80' },
    {},
    'HOLDFAST_ALLOW_PRIVATE has "localhost:80" in it, which is no origin; write it as http://localhost:8080',
  ],
  [{ HOLDFAST_LEASE_SECONDS: '-1' }, {}, 'HOLDFAST_LEASE_SECONDS must be a number of seconds'],
  [
    { HOLDFAST_LOG_LEVEL: 'loud' },
    {},
    'HOLDFAST_LOG_LEVEL must be one of trace, debug, info, warn, error, silent',
  ],
])('a setting is named as it was given: %j %j', (env, flags, message) => {
  const failure = new HoldfastError('config_invalid', message);
  expect(() => readConfiguration(env, flags)).toThrow(failure.message);
});
