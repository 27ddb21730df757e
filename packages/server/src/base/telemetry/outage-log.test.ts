import { HoldfastError } from '@holdfast/contract';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../../../test/database-fixture/create-test-database.ts';
import { createPool } from '../database/create-pool.ts';
import { loggerTo } from './logger.ts';
import { OutageLog } from './outage-log.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function logged() {
  const lines: { level: string; msg: string; lines_held_back?: number }[] = [];
  const log = loggerTo({ write: (line) => lines.push(JSON.parse(line)) }, { logLevel: 'info' });
  return { log, lines };
}

test('an outage is told of once, however many parts of a process notice it, and once when it is over', async () => {
  const { log, lines } = logged();
  const database = await createTestDatabase();
  const away = createPool({ host: '127.0.0.1', port: 9, connectionTimeoutMillis: 2_000 }, log);
  const pool = createPool({ connectionString: database.url }, log);
  try {
    for (const part of ['Claiming', 'Renewing', 'Listening']) {
      await away.query('SELECT').catch((err: unknown) => log.child({ part }).warn({ err }, `${part} failed`));
    }
    log.error({ err: new HoldfastError('database_unavailable', 'gone') }, 'A request failed');
    log.warn({ reason: 'terminating connection', code: '57P01' }, 'A database connection was lost');
    log.warn({ err: Object.assign(new Error('deadlock'), { code: '40P01' }) }, 'A statement failed');
    await pool.query('SELECT');
    log.warn({ err: refused }, 'Claiming failed');
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^Claiming failed; further messages about the database are suppressed/),
      'A statement failed',
      'The database answers again',
      expect.stringMatching(/^Claiming failed; further messages/),
    ]);
    expect(lines[2]?.lines_held_back).toBe(4);
  } finally {
    await away.end();
    await pool.end();
    await database.drop();
  }
});

test('a long outage is told of once a minute', () => {
  const outage = new OutageLog();
  const told = Array.from({ length: 181 }, (_, second) =>
    outage.filter([{ err: refused }, 'Claiming failed'], 1 + second * 1000),
  ).filter((line) => line !== undefined);
  expect(told).toHaveLength(4);
});
