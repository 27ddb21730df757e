import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Queryable } from '../../base/database/statement.ts';
import { lossyPool } from '../../base/database/testing/lossy-pool.ts';
import { pauseSource } from '../sources/change-source.ts';
import { acquire, ok, refused } from './testing/crawler.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();
const patience = { timeout: 10_000 };

/** Ends requests to a new host over this line, and answers with its source when they have been reported for the second time. */
async function sourceAfter(line: Queryable, outcomes: readonly (typeof ok)[]) {
  const host = fixture.newHost();
  let reports = 0;
  const query = async (config: QueryConfig) => {
    try {
      return await line.query(config);
    } finally {
      if (config.name === 'report-outcomes') reports++;
    }
  };
  const run = fixture.newGovernor({ db: { query } as Queryable }).openRun('a');
  const permits = await Promise.all(outcomes.map(() => acquire(run, host)));
  for (const [n, permit] of permits.entries()) permit.done(outcomes[n] ?? ok);
  await vi.waitUntil(() => reports >= 2, { timeout: 5_000 });
  return await fixture.sourceOf(host);
}

/** A line whose first report fails so, and is not written. */
function failingOnce(error: Error): Queryable {
  let failed = false;
  const query = (config: QueryConfig) => {
    if (failed || config.name !== 'report-outcomes') return fixture.pool.query(config);
    failed = true;
    return Promise.reject(error);
  };
  return { query } as Queryable;
}

const failure = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

describe('a report that the database cannot compute with', () => {
  /** A database that cannot add up a source's row, whatever is reported. */
  async function breakSource(host: string) {
    await fixture.pool.query(`CREATE OR REPLACE FUNCTION refuse_source() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM 1 / (CASE WHEN NEW.id = TG_ARGV[0] THEN 0 ELSE 1 END); RETURN NEW; END $$`);
    await fixture.pool.query(
      `CREATE TRIGGER refuse BEFORE UPDATE OF failure_streak ON sources FOR EACH ROW EXECUTE FUNCTION refuse_source('host:${host}')`,
    );
    onTestFinished(async () => {
      await fixture.pool.query('DROP TRIGGER IF EXISTS refuse ON sources');
    });
  }

  test('is dropped alone, with a word in the log; the others are written, and its source goes on', async () => {
    const [bad, good] = [fixture.newHost(), fixture.newHost()];
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const run = fixture.newGovernor({ log }).openRun('a');
    const permits = [await acquire(run, bad), await acquire(run, good)];
    await breakSource(bad);
    // In one batch, the bad one first.
    for (const permit of permits) permit.done(refused);
    await vi.waitFor(
      async () => expect(await fixture.sourceOf(good)).toMatchObject({ failure_streak: 1 }),
      patience,
    );
    await vi.waitUntil(() => lines.length > 0, patience);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { source: `host:${bad}`, err: { code: '22012' }, msg: expect.stringContaining('Dropped a report') },
    ]);
    expect(lines.join()).not.toContain('cannot reach');
    // What an operator decides about it is heard.
    await pauseSource(fixture.pool, `host:${bad}`);
    await vi.waitUntil(() => {
      const permit = run.tryAcquire(bad);
      if ('waitUntil' in permit) return permit.reason === 'paused';
      permit.done({ kind: 'error', code: 'aborted' });
      return false;
    }, patience);
    // Nothing of it is written later.
    await fixture.pool.query('DROP TRIGGER refuse ON sources');
    (await acquire(run, good)).done(refused);
    await vi.waitFor(
      async () => expect(await fixture.sourceOf(good)).toMatchObject({ failure_streak: 2 }),
      patience,
    );
    expect(await fixture.sourceOf(bad)).toMatchObject({ failure_streak: 0 });
  });
});

describe('failures in a row', () => {
  test('are counted once when the answer to their report was lost', async () => {
    const { pool } = lossyPool(fixture.pool, 'report-outcomes', 'answer');
    expect(await sourceAfter(pool, [refused, refused, refused])).toMatchObject({
      failure_streak: 3,
      pause_reason: null,
    });
  });

  test('behind a success are counted once, too', async () => {
    const { pool } = lossyPool(fixture.pool, 'report-outcomes', 'answer');
    const source = await sourceAfter(pool, [ok, refused, refused, refused]);
    expect(source).toMatchObject({ failure_streak: 3, pause_reason: null });
    expect(source.last_success_at).not.toBeNull();
  });

  const unreachable = failure('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' });
  test.each([
    ['its server cannot be reached', unreachable],
    ['none of its addresses can be reached', new AggregateError([unreachable])],
    ['its name is not known', failure('getaddrinfo', { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['no connection comes in time', failure('timeout exceeded when trying to connect')],
    ['it says that it cannot', failure('the disk is full', { code: '53100', severity: 'ERROR' })],
  ])('are not lost when the database did not write them: %s', async (_, error) => {
    expect(await sourceAfter(failingOnce(error), [refused, refused, refused])).toMatchObject({
      failure_streak: 3,
    });
  });

  test.each([
    ['cut off', failure('Connection terminated unexpectedly')],
    ['reset', failure('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
    ['ended by a shutdown', failure('terminating connection', { code: '57P01', severity: 'FATAL' })],
  ])('are rather lost than counted twice when the connection was %s', async (_, error) => {
    expect(await sourceAfter(failingOnce(error), [refused, refused, refused])).toMatchObject({
      failure_streak: 0,
    });
  });
});
