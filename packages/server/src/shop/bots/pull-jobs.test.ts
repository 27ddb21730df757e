import { describe, expect, test } from 'vitest';
import { alice, BotFixture, codeOf, operator, visit } from '../../../../../test/bot-fixture/bot-fixture.ts';
import { pauseSource, resumeSource } from '../../governor/sources/change-source.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { hostPatterns, openSources } from '../../governor/sources/open-sources.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';

const bots = new BotFixture();

describe('a pull', () => {
  test('leases the job as every claim does: fence, event, holder', async () => {
    const [id = ''] = await bots.enqueue(
      visit('https://shop.example/1', { priority: 10, timeout_seconds: 300 }),
    );
    const { jobs, skipped } = await bots.pull();
    expect(skipped).toBe(0);
    expect(jobs).toMatchObject([
      {
        id,
        fence: 1,
        url: 'https://shop.example/1',
        priority: 10,
        max_retries: 3,
        retry_count: 0,
        timeout_seconds: 300,
      },
    ]);
    const job = await showJob(bots.pool, id);
    expect(job).toMatchObject({ status: 'processing', worker_id: 'bot-001', fence: 1 });
    expect(new Date(jobs[0]?.lease_expires_at ?? '')).toEqual(job.lease_expires_at);
    expect((await listEvents(bots.pool, id)).at(-1)).toMatchObject({
      transition: 'claim',
      from_status: 'pending',
      to_status: 'processing',
      actor: 'bot:bot-001',
      fence: 1,
    });
  });

  test('takes the highest priority first, then the oldest, and at most as many as asked', async () => {
    await bots.enqueue(
      visit('https://a.example/old'),
      visit('https://a.example/new'),
      visit('https://a.example/urgent', { priority: 5 }),
    );
    expect(await bots.pulled({ maxJobs: 2 })).toEqual(['https://a.example/urgent', 'https://a.example/old']);
    expect(await bots.pulled({ maxJobs: 2 })).toEqual(['https://a.example/new']);
    expect(await bots.pulled({ maxJobs: 2 })).toEqual([]);
  });

  test('takes jobs that waited once they are due, in their place by priority', async () => {
    const runAt = new Date(Date.now() + 60_000).toISOString();
    await bots.enqueue(
      visit('https://a.example/ready', { priority: 1 }),
      visit('https://a.example/later', { priority: 2, run_at: runAt }),
      visit('https://a.example/low', { priority: 0, run_at: runAt }),
      visit('https://a.example/much-later', { run_at: new Date(Date.now() + 600_000).toISOString() }),
    );
    expect(await bots.pulled({ maxJobs: 1 })).toEqual(['https://a.example/ready']);
    await bots.passSeconds(61);
    expect(await bots.pulled()).toEqual(['https://a.example/later', 'https://a.example/low']);
  });

  test('leaves alone what is for our own runners, paused, or of another owner', async () => {
    const [, paused = ''] = await bots.enqueue(
      visit('https://a.example/builtin', { executor: 'builtin' }),
      visit('https://a.example/paused'),
      visit('https://a.example/bobs', { user_id: 'bob', priority: 9 }),
      visit('https://a.example/own'),
    );
    await pauseJobs(bots.pool, [paused], 'user:alice');
    expect(await bots.pulled()).toEqual(['https://a.example/own']);
    expect(await bots.pulled({}, operator)).toEqual(['https://a.example/bobs']);
  });

  test('counts as skipped the matching jobs that others hold', async () => {
    await bots.enqueue(
      ...[1, 2, 3].map((n) => visit(`https://shop.example/${n}`)),
      ...[4, 5].map((n) => visit(`https://other.example/${n}`)),
      visit('https://shop.example/bob', { user_id: 'bob' }),
    );
    expect(await bots.pull({ maxJobs: 4, botId: 'a' })).toMatchObject({ skipped: 0 });
    await bots.pull({ botId: 'b' }, { ...alice, userId: 'bob' });
    expect(await bots.pull({ botId: 'c' })).toMatchObject({ jobs: [{}], skipped: 4 });
    expect(await bots.pull({ botId: 'a' })).toMatchObject({ jobs: [], skipped: 1 });
    expect(await bots.pull({ botId: 'd', domain: 'shop.example' })).toMatchObject({ jobs: [], skipped: 3 });
    expect(await bots.pull({ botId: 'd' }, operator)).toMatchObject({ jobs: [], skipped: 6 });
  });

  test('gives the lock of the job, else of the bot, else the time limit of the run, else ten minutes', async () => {
    const seconds = async (fields: Parameters<typeof visit>[1]) => {
      const { id } = await bots.held(fields);
      const { lease_expires_at, started_at } = await showJob(bots.pool, id);
      return (Number(lease_expires_at) - Number(started_at)) / 1000;
    };
    expect(await seconds({ lock_ttl_seconds: 30, timeout_seconds: 40 })).toBe(30);
    expect(await seconds({ timeout_seconds: 40 })).toBe(40);
    expect(await seconds({})).toBe(600);
    await bots.pool.query('UPDATE bots SET lock_ttl_seconds = 50');
    expect(await seconds({ timeout_seconds: 40 })).toBe(50);
    expect(await seconds({ lock_ttl_seconds: 30 })).toBe(30);
  });
});

describe('a pull for a domain', () => {
  const urls = [
    'https://example.com/1',
    'https://shop.example.com/2',
    'https://a.b.example.com:8443/3',
    'https://notexample.com/4',
    'https://my-example.com/5',
    'https://example.com.evil.example/6',
    'https://EXAMPLE.com./7',
  ];

  test.each([
    ['example.com', [1, 2, 3, 7]],
    ['Shop.Example.com', [2]],
    ['b.example.com', [3]],
    ['a.b.example.com:8443', [3]],
    ['a.b.example.com:80', []],
    ['com', [1, 2, 3, 4, 5, 7]],
    ['unknown.example', []],
  ])('of %s gets its hosts and those below it', async (domain, expected) => {
    await bots.enqueue(...urls.map((url) => visit(url)));
    const pulled = await bots.pulled({ domain });
    expect(pulled).toEqual(expected.map((n) => urls[n - 1]));
  });

  test('keeps the order of priority and age across its hosts, and reads on where others have locked', async () => {
    await bots.enqueue(
      ...[1, 2, 3, 4].map((n) => visit(`https://h${n % 2}.example.com/${n}`, { priority: n === 3 ? 9 : 0 })),
    );
    const other = await bots.pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT FROM crawl_jobs WHERE payload ->> 'url' LIKE '%/1' FOR UPDATE`);
    expect(await bots.pulled({ domain: 'example.com', maxJobs: 2 })).toEqual([
      'https://h1.example.com/3',
      'https://h0.example.com/2',
    ]);
    await other.query('ROLLBACK');
    other.release();
  });

  test('is for the owner alone, or for every owner', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2', { user_id: 'bob' }));
    expect(await bots.pulled({ domain: 'a.example' })).toEqual(['https://a.example/1']);
    expect(await bots.pulled({ domain: 'a.example' }, operator)).toEqual(['https://a.example/2']);
  });

  test('takes jobs of the domain that waited and are due', async () => {
    const run_at = new Date(Date.now() + 60_000).toISOString();
    await bots.enqueue(visit('https://a.example/1', { run_at }), visit('https://b.example/2', { run_at }));
    await bots.passSeconds(61);
    expect(await bots.pulled({ domain: 'b.example' })).toEqual(['https://b.example/2']);
  });

  test.each(['', 'http://example.com/', 'a b', 'example.com/path', 'user@example.com'])(
    'refuses %j',
    async (domain) => {
      expect(await codeOf(bots.pull({ domain }))).toBe('bad_request');
    },
  );
});

describe('a bot', () => {
  test('is registered by its first pull, and its pulls are counted', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2'));
    await bots.pull({ maxJobs: 1 });
    await bots.pull();
    await bots.pull();
    const { rows } = await bots.pool.query('SELECT user_id, bot_id, pulls, jobs_pulled FROM bots');
    expect(rows).toEqual([{ user_id: 'alice', bot_id: 'bot-001', pulls: 3, jobs_pulled: 2 }]);
    const { rows: hours } = await bots.pool.query(
      'SELECT sum(pulls) AS pulls, sum(jobs_pulled) AS jobs FROM bot_hours',
    );
    expect(hours).toEqual([{ pulls: 3, jobs: 2 }]);
  });

  test('that its key does not speak for is refused', async () => {
    expect(await codeOf(bots.pull({ botId: 'other' }, { ...alice, boundTo: 'bot-001' }))).toBe(
      'bot_not_allowed',
    );
    expect(await codeOf(bots.pull({ botId: 'bot-001' }, { ...alice, boundTo: 'bot-001' }))).toBe('no error');
  });

  test('that was disabled is refused, also when it repeats an earlier pull', async () => {
    await bots.enqueue(visit());
    await bots.pull({ idempotencyKey: 'k' });
    await bots.pool.query('UPDATE bots SET enabled = false');
    expect(await codeOf(bots.pull())).toBe('bot_not_allowed');
    expect(await codeOf(bots.pull({ idempotencyKey: 'k' }))).toBe('bot_not_allowed');
  });

  test('gets no more jobs at once than it may', async () => {
    await bots.enqueue(...[1, 2, 3].map((n) => visit(`https://a.example/${n}`)));
    await bots.pull({ maxJobs: 1 });
    await bots.pool.query('UPDATE bots SET max_jobs_per_pull = 1');
    expect(await bots.pulled({ maxJobs: 10 })).toHaveLength(1);
  });

  test('pulls no more often than it may, however many pulls come at once, and is told when to come again', async () => {
    await bots.pull();
    await bots.pool.query('UPDATE bots SET max_pulls_per_minute = 5');
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(bots.pull())));
    expect(codes.filter((code) => code === 'no error')).toHaveLength(4);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(6);
    const refused = await bots.pull().catch((error: unknown) => error);
    expect(refused).toMatchObject({ retryAfterSeconds: expect.any(Number) });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(60);
    await bots.passSeconds(60);
    expect(await codeOf(bots.pull())).toBe('no error');
  });

  test('gets only jobs of its allowed domains, whatever it asks for', async () => {
    await bots.enqueue(
      ...['a.shop.example', 'b.shop.example', 'other.example'].map((host) => visit(`https://${host}/`)),
    );
    await bots.pull({ domain: 'nothing.example' });
    await bots.pool.query(`UPDATE bots SET allowed_domains = '{a.shop.example,other.example}'`);
    expect(await bots.pulled({ domain: 'b.shop.example' })).toEqual([]);
    expect(await bots.pulled({ domain: 'shop.example' })).toEqual(['https://a.shop.example/']);
    expect(await bots.pulled()).toEqual(['https://other.example/']);
  });
});

describe('a pull with an idempotency key', () => {
  test('yields the same jobs when it is repeated, and counts once', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2'));
    const first = await bots.pull({ maxJobs: 1, idempotencyKey: 'k1' });
    expect(first.jobs).toHaveLength(1);
    expect(await bots.pull({ maxJobs: 1, idempotencyKey: 'k1' })).toEqual(first);
    const second = await bots.pull({ maxJobs: 1, idempotencyKey: 'k2' });
    expect(second.jobs).toHaveLength(1);
    expect(second.jobs[0]?.id).not.toBe(first.jobs[0]?.id);
    const { rows } = await bots.pool.query('SELECT pulls FROM bots');
    expect(rows).toEqual([{ pulls: 2 }]);
  });

  test('is one pull when it comes many times at once', async () => {
    await bots.enqueue(...Array.from({ length: 30 }, (_, n) => visit(`https://a.example/${n}`)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bots.pull({ maxJobs: 5, idempotencyKey: 'once' })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const { rows } = await bots.pool.query(
      `SELECT count(*) AS held FROM crawl_jobs WHERE status = 'processing'`,
    );
    expect(rows).toEqual([{ held: 5 }]);
  });

  test('belongs to its bot: another one may use the same', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2'));
    const a = await bots.pull({ botId: 'a', maxJobs: 1, idempotencyKey: 'k' });
    const b = await bots.pull({ botId: 'b', maxJobs: 1, idempotencyKey: 'k' });
    expect(a.jobs[0]?.id).not.toBe(b.jobs[0]?.id);
  });
});

describe('jobs of a source that lets nothing through', () => {
  const one = 'https://a.shop.example/1';
  const two = 'https://b.shop.example/2';
  const three = 'https://c.other.example:8080/3';

  test('wait while a host of its own is paused, and come when it is resumed', async () => {
    await bots.enqueue(visit(one), visit(two));
    await openSources(bots.pool, ['a.shop.example']);
    await pauseSource(bots.pool, 'host:a.shop.example');
    expect(await bots.pulled()).toEqual([two]);
    expect(await bots.pulled({ domain: 'shop.example' })).toEqual([]);
    await resumeSource(bots.pool, 'host:a.shop.example');
    expect(await bots.pulled()).toEqual([one]);
  });

  test('wait while the configured source of their hosts is disabled, by wildcard and by port', async () => {
    await bots.enqueue(visit(one), visit(two), visit(three));
    await configureSource(bots.pool, 'shops', {
      hosts: ['*.shop.example', 'c.other.example'],
      enabled: false,
    });
    expect(await bots.pulled()).toEqual([]);
    // The closest pattern decides.
    await configureSource(bots.pool, 'open', { hosts: ['b.shop.example', 'c.other.example:8080'] });
    expect(await bots.pulled()).toEqual([two, three]);
    await configureSource(bots.pool, 'shops', { enabled: true });
    expect(await bots.pulled()).toEqual([one]);
  });

  test('do not wait for a host of its own that is paused where a configured source stands for it', async () => {
    await bots.enqueue(visit(one));
    await openSources(bots.pool, ['a.shop.example']);
    await pauseSource(bots.pool, 'host:a.shop.example');
    await configureSource(bots.pool, 'shops', { hosts: ['*.shop.example'] });
    expect(await bots.pulled()).toEqual([one]);
  });

  test('come again by themselves when the pause is over', async () => {
    await bots.enqueue(visit(one));
    await openSources(bots.pool, ['a.shop.example']);
    await pauseSource(bots.pool, 'host:a.shop.example', 300);
    expect(await bots.pulled()).toEqual([]);
    await bots.pool.query(`UPDATE sources SET paused_until = now() - interval '1 s'`);
    expect(await bots.pulled()).toEqual([one]);
  });
});

test.each(['a.b.org:8080', 'a.b.org', 'org', '127.0.0.1', '127.0.0.1:80', '[::1]:8080', 'x.y.z.example'])(
  'the patterns of %s are the same in SQL and in TypeScript',
  async (host) => {
    const { rows } = await bots.pool.query('SELECT host_patterns($1) AS patterns', [host]);
    expect(rows[0].patterns).toEqual(hostPatterns(host));
  },
);
