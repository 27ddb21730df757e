import { expect, test } from 'vitest';
import { ApiFixture } from '../../../../test/api-fixture/api-fixture.ts';

const api = new ApiFixture();
const url = 'https://example.com/';

test.each<[string, string]>([
  ['jobs?limit=many', 'limit must be a number'],
  ['jobs?limit=1001', 'limit must be at most 1000'],
  ['jobs?status=gone&kind=crawl', 'status must be one of pending, processing,'],
  ['jobs?status=failed,gone', 'status must be one of pending, processing,'],
  ['jobs?colour=red', 'colour is not a known field'],
  ['jobs?search=%00', 'search must be well-formed Unicode without NUL'],
  ['jobs?created_after=today', 'created_after must be a time with its zone, such as 2030-01-31T08:00:00Z'],
  ['jobs/1', 'id must be a UUID'],
  ['price-history', 'query must have either policy_id or url'],
  ['bots?cursor=x', 'cursor must be the next_cursor of an answer'],
])('GET %s: %s', async (path, message) => {
  const answer = await api.call('GET', `/api/v1/${path}`);
  expect(answer.statusCode).toBe(400);
  const { error } = answer.json();
  expect(error.message).toContain(`The request is not valid: ${message}`);
  expect(answer.body).not.toMatch(/\bbody\b|Invalid|expected|received|\.0/);
});

test.each<[string, string, unknown, string]>([
  ['v1/jobs', 'payload.url', { kind: 'crawl', payload: {} }, 'is missing'],
  ['v1/jobs', 'payload.urls[1]', { kind: 'crawl', payload: { url, urls: [url, 7] } }, 'must be text'],
  ['v1/jobs', 'payload.colour', { kind: 'crawl', payload: { url, colour: 1 } }, 'is not a known field'],
  [
    'v1/jobs',
    'payload.maxpages',
    { kind: 'crawl', payload: { url, maxpages: 1 } },
    'is not a known field: did you mean max_pages?',
  ],
  [
    'v1/jobs',
    'payload.limit',
    { kind: 'crawl', payload: { url, limit: 1 } },
    'is not a known field: did you mean max_pages?',
  ],
  [
    'v1/jobs',
    'max_retrie',
    { kind: 'crawl', payload: { url }, max_retrie: 1 },
    'is not a known field: did you mean max_retries?',
  ],
  [
    'v1/policies',
    'options.max-dept',
    { kind: 'crawl', url, options: { 'max-dept': 1 } },
    'is not a known field: did you mean max_depth?',
  ],
  ['v1/jobs', 'kind', { kind: 'walk' }, 'must be one of crawl, visit, collect'],
  ['v1/jobs', 'body', [], 'must be an object'],
  ['v1/jobs', 'body', undefined, 'is missing'],
  ['v1/jobs', 'body', '{"kind":', 'must be JSON'],
  ['v1/jobs/bulk', 'body', { action: 'pause' }, 'must have either ids or a filter'],
  [
    'v1/jobs/bulk',
    'filter.status[1]',
    { action: 'pause', filter: { status: ['failed', 'x'] } },
    'must be one of',
  ],
  [
    'v1/policies',
    'options.max_depth',
    { kind: 'crawl', url, options: { max_depth: 'x' } },
    'must be a number',
  ],
])('POST %s: %s of %j %s', async (path, field, body, message) => {
  const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const answer = await api.call('POST', `/api/${path}`, { body, headers });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error).toMatchObject({
    message: expect.stringContaining(`: ${field} ${message}`),
    details: [{ field, message: expect.stringContaining(message) }],
  });
});

test('several problems are told together, and all of them listed', async () => {
  const jobs = Array.from({ length: 5 }, () => ({ kind: 'visit', payload: {} }));
  const { error } = (await api.call('POST', '/api/v1/jobs/bulk-create', { body: { jobs } })).json();
  expect(error.message).toBe(
    'The request is not valid: jobs[0].payload.url is missing; jobs[1].payload.url is missing; jobs[2].payload.url is missing; and 2 more',
  );
  expect(error.details).toHaveLength(5);
});

test('the dialects tell it in the same words', async () => {
  const said = { bot_id: 'b', job_id: crypto.randomUUID(), success: true };
  const submit = await api.call('POST', '/api/crawl/submit/', { body: said });
  expect(submit.json().detail).toMatch(
    /^The request is not valid: price is required if success is true; currency is required if success is true\./,
  );
  const batch = await api.call('POST', '/api/crawl/submit-batch/', {
    body: { bot_id: 'b', items: [{ ...said, price: 1, currency: 'USD', job_id: 7 }] },
  });
  expect(batch.json().data.items[0].detail).toMatch(/^The request is not valid: job_id must be text\./);
  const crawl = await api.call('POST', '/api/knowledge-items/crawl', { body: { url, tags: 'x' } });
  expect(crawl.json().detail).toMatch(/^The request is not valid: tags must be a list\./);
});
