import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { readProgress } from '../../packages/server/src/crawl/frontier/read-progress.ts';
import { readCounters } from '../../packages/server/src/ops/jobs/job-details.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { runPolicyNow } from '../../packages/server/src/queue/policies/change-policy.ts';
import { createPolicy } from '../../packages/server/src/queue/policies/create-policy.ts';
import { createDueJobs } from '../../packages/server/src/queue/policies/scheduler.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

let pages: Record<string, string> = {};

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path: string, response: ServerResponse) => {
    const body = pages[path];
    if (body === undefined) return false;
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><title>${path}</title><main><p>${body}</p></main>`);
    return true;
  },
});

async function nextJob(policyId: string): Promise<string> {
  await runPolicyNow(fixture.pool, policyId);
  await createDueJobs(fixture.pool, 'scheduler:test');
  await new Notifier(fixture.pool).notify('work');
  const { rows } = await fixture.pool.query(
    'SELECT id FROM crawl_jobs WHERE policy_id = $1 ORDER BY id DESC LIMIT 1',
    [policyId],
  );
  const { status } = await fixture.reaches(rows[0].id, 'completed', 'failed');
  expect(status).toBe('completed');
  return rows[0].id;
}

test('a policy on a site asks for what changed since its last crawl, and counts it', async () => {
  const links = '<a href="/same">a</a> <a href="/edited">b</a>';
  pages = {
    '/': `Start ${links} <a href="/left">c</a>`,
    '/same': 'As ever',
    '/edited': 'Before',
    '/left': 'Soon gone',
  };
  const { id } = await createPolicy(fixture.pool, {
    kind: 'crawl',
    url: `${fixture.site.origin}/`,
    options: { discover: false },
    next_run_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const first = await nextJob(id);
  expect(await readCounters(fixture.pool, first)).toMatchObject({ fetched: 4, changes: null });

  pages = {
    '/': `Start ${links} <a href="/added">d</a>`,
    '/same': 'As ever',
    '/edited': 'After',
    '/added': 'Hello',
  };
  const second = await nextJob(id);
  const changes = { baseline: first, new: 1, changed: 2, unchanged: 1, gone: 1 };
  expect(await readCounters(fixture.pool, second)).toMatchObject({ changes });
  expect(await readProgress(fixture.pool, [second])).toMatchObject([{ changes }]);
}, 120_000);
