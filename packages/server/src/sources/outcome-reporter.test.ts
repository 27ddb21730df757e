import type { QueryConfig } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Queryable } from '../database/statement.ts';
import { lossyPool } from '../database/testing/lossy-pool.ts';
import { acquire, ok, refused } from './testing/crawler.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();

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
