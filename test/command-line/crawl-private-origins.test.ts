import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { releaseJobs } from '../../packages/server/src/queue/jobs/release-jobs.ts';
import { startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { crawlLane } from '../queue-fixture/queue-fixture.ts';
import { CrawlCommandFixture } from './crawl-command-fixture.ts';
import { startTreeSite, type TreeSite } from './tree-site.ts';

const fixture = new CrawlCommandFixture();

describe('holdfast crawl of what is not public', () => {
  test('does not fetch a private address that was not allowed, and says how to allow it', async () => {
    fixture.site = await startTreeSite(1);
    const outcome = await fixture.run(['crawl', `${fixture.site.origin}/`]);
    expect([outcome.exit, outcome.stderr]).toEqual([
      1,
      expect.stringContaining(`--allow-private ${fixture.site.origin}`),
    ]);
    expect(outcome.stderr.match(/The address is not allowed/g)).toHaveLength(1);
    expect(fixture.site.connections()).toBe(0);
  });

  test.each([
    ['with a slash at its end', ({ port }: TreeSite) => `http://127.0.0.1:${port}/`],
    ['in capitals', ({ port }: TreeSite) => `HTTP://127.0.0.1:${port}`],
  ])('fetches an origin that was allowed %s', async (_, spelt) => {
    fixture.site = await startTreeSite(3);
    const args = [
      'crawl',
      `${fixture.site.origin}/`,
      '--no-discover',
      '--json',
      '--allow-private',
      spelt(fixture.site),
    ];
    const { exit, stdout } = await fixture.run(args);
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { status: 'completed', fetched: 3 }]);
  });

  test('names the origin that it was led to and may not fetch, not the one that it may', async () => {
    const shop = await startSite((_, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/x' }).end(),
    );
    const args = ['crawl', `${shop.origin}/`, '--no-discover', '--allow-private', shop.origin];
    const { exit, stderr } = await fixture.run(args);
    await shop.close();
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/--allow-private http:\/\/10\.0\.0\.1\n/)]);
    expect(stderr).not.toContain(`--allow-private ${shop.origin}`);
  });

  describe('that goes on without leave for what it needs', () => {
    const needed = () => `The address is not allowed: ${fixture.site.origin}\n`;
    const latest = async () => {
      const { rows } = await fixture.database.pool.query<{ id: string; status: string }>(
        'SELECT id, status FROM crawl_jobs ORDER BY id DESC LIMIT 1',
      );
      return rows[0] ?? { id: '', status: '' };
    };
    const stopHalfway = async () => {
      fixture.site = await startTreeSite(60, 20);
      const child = fixture.startCrawl('--out', 'pages.jsonl');
      await fixture.site.asked(10);
      child.kill('SIGINT');
      await once(child, 'close');
    };
    const withoutLeave = () => ['crawl', `${fixture.site.origin}/`, '--no-discover', '--out', 'pages.jsonl'];

    test('ends with that reason, and leaves the crawl as it was', async () => {
      await stopHalfway();
      const { exit, stderr } = await fixture.run(withoutLeave());
      expect([exit, stderr]).toEqual([1, expect.stringContaining(needed())]);
      expect(stderr).toContain(`Allow them again: --allow-private ${fixture.site.origin}\n`);
      expect((await latest()).status).toBe('paused');
    });

    test('follows a worker that has it, and ends with that reason when that one lets go of it', async () => {
      await stopHalfway();
      const { id } = await latest();
      await actOnJob(fixture.database.pool, 'resume', id);
      const [held] = await claimJobs(fixture.database.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
      expect(held?.id).toBe(id);
      const child = fixture.start(withoutLeave());
      let said = '';
      const follows = new Promise<void>((resolve) => {
        child.stderr?.on('data', (data) => {
          said += data;
          if (said.includes('Worker w1 runs this crawl')) resolve();
        });
      });
      await follows;
      await releaseJobs(
        fixture.database.pool,
        held ? [{ ...held, reason: 'stopping' }] : [],
        'supervisor:w1',
      );
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(said).toContain(needed());
      expect((await latest()).status).toBe('paused');
    });
  });
});
