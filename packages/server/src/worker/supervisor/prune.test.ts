import { expect, test } from 'vitest';
import { actor, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { listSources } from '../../governor/sources/list-sources.ts';
import { openSources } from '../../governor/sources/open-sources.ts';
import { createKey } from '../../queue/access/keys.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { prune } from './prune.ts';

const queue = new QueueFixture();

test('jobs, hosts and robots.txt that nobody needs any more are forgotten; what somebody configured is kept', async () => {
  await completeJobs(queue.pool, [await queue.claimedOne()], actor);
  await queue.pool.query(
    `UPDATE crawl_jobs SET completed_at = now() - interval '31 days',
       id = ('00000000' || substr(id::text, 9))::uuid`,
  );
  const hosts = Array.from({ length: 6_001 }, (_, n) => `h${n}.test`);
  await openSources(queue.pool, hosts);
  await configureSource(queue.pool, 'kept', { hosts: ['kept.test'] });
  await queue.pool.query(
    `UPDATE sources SET created_at = now() - interval '31 days';
     UPDATE sources SET last_success_at = now() WHERE id = 'host:h7.test';
     UPDATE sources SET paused_until = 'infinity', pause_reason = 'operator' WHERE id = 'host:h8.test';
     INSERT INTO robots_cache (origin, expires_at, outcome, rules)
     SELECT 'https://' || n || '.test', now() - make_interval(days => n), 'found', '{}' FROM generate_series(1, 40) AS n`,
  );
  expect(await prune(queue.pool, 0)).toEqual({ jobs: 0, sources: 0, deliveries: 0 });
  expect(await prune(queue.pool, 30)).toEqual({ jobs: 1, sources: 5_999, deliveries: 0 });
  expect((await listSources(queue.pool)).map(({ id }) => id)).toEqual([
    'host:h7.test',
    'host:h8.test',
    'kept',
  ]);
  const { rows } = await queue.pool.query('SELECT count(*) AS count FROM robots_cache');
  expect(rows).toEqual([{ count: 29 }]);
});

test('workers that nobody has heard of for a week, sessions and links that ran out are forgotten, however long jobs are kept', async () => {
  const key = await createKey(queue.pool, { name: 'admin', scopes: ['admin'] });
  await queue.pool.query(
    `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, last_seen)
     SELECT 'silent for ' || days || ' days', 'h', 'b', 1, 's', 'v', 1, now() - make_interval(days => days)
     FROM unnest('{0, 6, 8, 900}'::integer[]) AS days`,
  );
  for (const table of ['sessions', 'login_links'])
    await queue.pool.query(
      `INSERT INTO ${table} (token_hash, key_id, expires_at)
       SELECT sha256(hours::text::bytea), $1, now() + make_interval(hours => hours) FROM unnest('{-1, 1}'::integer[]) AS hours`,
      [key.id],
    );
  await prune(queue.pool, 0);
  const { rows } = await queue.pool.query(
    `SELECT (SELECT array_agg(id ORDER BY id) FROM workers) AS workers, (SELECT count(*) FROM sessions) AS sessions,
       (SELECT count(*) FROM login_links) AS links`,
  );
  expect(rows).toEqual([{ workers: ['silent for 0 days', 'silent for 6 days'], sessions: 1, links: 1 }]);
});
