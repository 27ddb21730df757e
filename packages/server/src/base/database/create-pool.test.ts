import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { createPool } from './create-pool.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function logged() {
  const lines: string[] = [];
  return { log: pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) }), lines };
}

/** A way to the database that can be closed in one direction. */
async function openLine() {
  const { port, hostname } = new URL(database.url);
  const url = new URL(database.url);
  const sockets: [client: Socket, server: Socket][] = [];
  const line = createServer((client) => {
    const server = connect(Number(port), hostname);
    sockets.push([client, server]);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.pipe(server);
    server.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  url.port = String((line.address() as AddressInfo).port);
  return {
    url: url.href,
    /** What the client says no longer arrives. */
    hold: () => {
      for (const [client, server] of sockets) client.unpipe(server);
    },
    /** Resolves when the server has ended all connections and the client has been told why. */
    ended: () => Promise.all(sockets.map(([client]) => once(client, 'finish'))),
    close: () => {
      for (const socket of sockets.flat()) socket.destroy();
      line.close();
    },
  };
}

const backendOf = async (pool: TestDatabase['pool']) =>
  (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
/** Unlike `once` of node:events, not ended by an error. */
const removalFrom = (pool: TestDatabase['pool']) => new Promise((resolve) => pool.once('remove', resolve));
const terminate = (pid: number | undefined) => database.pool.query('SELECT pg_terminate_backend($1)', [pid]);

test('a server that stops before it has read that the pool leaves is no loss', async () => {
  const line = await openLine();
  const { log, lines } = logged();
  const pool = createPool({ connectionString: line.url }, log);
  const pid = await backendOf(pool);
  line.hold();
  const ended = line.ended();
  const removed = removalFrom(pool);
  await pool.end();
  await terminate(pid);
  await ended;
  await removed;
  line.close();
  expect(lines).toEqual([]);
});

test.each([
  ['an embedded server that another process stops in order is no loss', true, []],
  ['a connection that a server of somebody else ends is told of', false, ['A database connection was lost']],
])('%s', async (_, isEmbedded, expected) => {
  const { log, lines } = logged();
  const pool = createPool({ connectionString: database.url }, log, { isEmbedded });
  const lost = removalFrom(pool);
  await terminate(await backendOf(pool));
  await lost;
  expect(lines).toEqual(expected);
  // The next one is served by a new connection.
  expect(await backendOf(pool)).toBeGreaterThan(0);
  await pool.end();
});
