// Opens a database and keeps it open, as any command of ours does. Answers every line it reads with a line of JSON.
import { createInterface } from 'node:readline';
import { HoldfastError, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';

const log = pino({ level: process.env.HOLDFAST_LOG_LEVEL ?? 'silent' }, process.stderr);
const answer = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function look({ pool, describe, url }: Database): Promise<object> {
  const { rows } = await pool.query<{ started: Date; pid: number }>(
    'SELECT pg_postmaster_start_time() AS started, pg_backend_pid() AS pid',
  );
  return { started: rows[0]?.started.toISOString(), describe, port: Number(new URL(url).port) };
}

const commands: Record<string, (database: Database) => Promise<object>> = {
  look,
  close: async (database) => {
    await database.close();
    return { closed: true };
  },
};

try {
  const embeddedSettings = { fsync: 'off' };
  const database = await openDatabase(readConfiguration(process.env), log, {
    migrate: false,
    embeddedSettings,
  });
  answer(await look(database));
  for await (const line of createInterface({ input: process.stdin })) {
    const command = commands[line];
    if (command) answer(await command(database).catch((error: Error) => ({ failed: error.message })));
    if (line === 'close') break;
  }
} catch (error) {
  const { code, message, hint } = error as HoldfastError;
  answer({ error: error instanceof HoldfastError ? code : 'not a HoldfastError', message, hint });
  process.exitCode = 1;
}
process.stdin.destroy();
