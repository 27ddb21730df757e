import { beforeEach, describe, expect, test } from 'vitest';
import { openSources } from '../../packages/server/src/governor/sources/open-sources.ts';
import { QueueFixture } from '../queue-fixture/queue-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';

const queue = new QueueFixture();
beforeEach(() => queue.pool.query('TRUNCATE sources, workers CASCADE'));
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: queue.url });

describe('holdfast sources', () => {
  test('an empty list says where sources come from', async () => {
    const { exit, stdout } = await holdfast('sources', 'list');
    expect([exit, stdout]).toEqual([0, 'No sources yet: a host gets one with its first request.\n']);
    expect((await holdfast('sources', 'list', '--blocked')).stdout).toBe('No matching sources.\n');
  });

  test('a source is made, changed, paused and resumed', async () => {
    const made = await holdfast(
      'sources',
      'set',
      'shop',
      '--hosts',
      'shop.example',
      '*.shop.example',
      '--rate-limit',
      '30',
    );
    expect([made.stderr, made.stdout]).toEqual(['', expect.stringMatching(/rate limit +30 per minute/)]);
    const open = await holdfast('sources', 'set', 'shop', '--rate-limit', 'none', '--json');
    expect(open.stderr + open.stdout).toContain('"rate_limit_per_minute":null');
    expect((await holdfast('sources', 'pause', 'shop')).stdout).toBe(
      'source shop: paused until it is resumed\n',
    );
    expect((await holdfast('sources', 'list', '--blocked')).stdout).toMatch(
      /shop +paused until it is resumed/,
    );
    const shown = JSON.parse((await holdfast('sources', 'show', 'shop', '--json')).stdout);
    expect(shown).toMatchObject({
      id: 'shop',
      hosts: ['shop.example', '*.shop.example'],
      paused: true,
      paused_until: null,
    });
    expect((await holdfast('sources', 'resume', 'shop')).stdout).toBe('source shop: resumed\n');
    const off = await holdfast(
      'sources',
      'set',
      'shop',
      '--disable',
      '--config',
      '{"url":"https://x.example"}',
    );
    expect(off.stdout).toMatch(/state +disabled/);
  }, 120_000);

  test('to resume a disabled source says that it stays disabled, and how to enable it', async () => {
    await openSources(queue.pool, ['a.test']);
    await holdfast('sources', 'set', 'host:a.test', '--disable');
    expect((await holdfast('sources', 'resume', 'host:a.test')).stdout).toBe(
      'source host:a.test: still disabled; npx holdfast sources set host:a.test --enable enables it\n',
    );
  });

  test.each(['pause', 'resume'])(
    '%s answers for each: one that is not there holds up no other',
    async (action) => {
      await openSources(queue.pool, ['a.test', 'b.test']);
      const { exit, stdout, stderr } = await holdfast(
        'sources',
        action,
        'none',
        'host:a.test',
        'nor',
        'host:b.test',
      );
      expect([exit, stdout]).toEqual([
        3,
        expect.stringMatching(/^source host:a\.test: .*\nsource host:b\.test: .*\n$/),
      ]);
      expect(stderr).toMatch(/Source not found: none\n[\s\S]*Source not found: nor\n/);
    },
  );

  test('lists are for programs too', async () => {
    await openSources(queue.pool, ['a.test', 'b.test']);
    const { stdout } = await holdfast('sources', 'list', '--limit', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'host:a.test', configured: false, paused: false }]);
    expect((await holdfast('sources', 'list', '--limit', '1')).stdout).toContain('More: --after host:a.test');
  });

  test.each([
    [['show', 'none'], 3, 'Source not found: none'],
    [['pause', 'none'], 3, 'Source not found'],
    [['set', 'a b'], 2, 'is no id of a source'],
    [['set', 'x', '--concurrency', '0'], 2, 'concurrency'],
    [['set', 'x', '--config', '[]'], 2, '--config must be a JSON object'],
    [['set', 'x', '--enable', '--disable'], 2, 'not both'],
    [['list', '--limit', '0'], 2, '--limit'],
  ])('%j is answered with exit %d', async (args, exit, message) => {
    const answer = await holdfast('sources', ...args);
    expect([answer.exit, answer.stderr]).toEqual([exit, expect.stringContaining(message)]);
  });
});

describe('holdfast workers', () => {
  test('lists who runs jobs', async () => {
    expect((await holdfast('workers', 'list')).stdout).toBe('No workers. Start one: npx holdfast worker\n');
    await queue.pool.query(
      `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, last_seen)
       VALUES ('w1', 'm1', 'b', 17, 's', '1', 4, now()), ('w2', 'm1', 'b', 18, 's', '1', 4, now() - interval '1 day')`,
    );
    expect((await holdfast('workers', 'list')).stdout).toMatch(/w1 +alive +0 +4 +m1 +17/);
    expect(JSON.parse((await holdfast('workers', 'list', '--silent', '--json')).stdout)).toMatchObject([
      { id: 'w2', state: 'silent', pid: 18 },
    ]);
  }, 120_000);
});
