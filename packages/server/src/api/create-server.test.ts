import { expect, test } from 'vitest';
import { ApiFixture } from '../../../../test/api-fixture/api-fixture.ts';
import { enqueueJob } from '../queue/enqueue-jobs.ts';

const api = new ApiFixture();

test('shows a job to its owner', async () => {
  const key = await api.key();
  const { job } = await enqueueJob(api.pool, {
    kind: 'crawl',
    payload: { url: 'https://example.com/' },
    user_id: 'alice',
  });
  const answer = await api.call('GET', `/api/v1/jobs/${job.id}`, { key });
  expect(answer.json()).toMatchObject({ id: job.id, url: 'https://example.com/', crawl: null });
  expect(answer.statusCode).toBe(200);
});
