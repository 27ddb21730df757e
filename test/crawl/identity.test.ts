import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';

type Headers = Record<string, string>;
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

const env = { HOLDFAST_SECRET_KEY: randomBytes(32).toString('base64') };
const api = new ListeningApi(env);
let site: TestSite;
let worker: WorkerProcess;
let seen: SeenRequest[] = [];
beforeAll(async () => {
  site = await TestSite.start({
    pages: 3,
    robots: 'User-agent: *\nAllow: /\n',
    answer: (path, { req }) => {
      const url = `http://${req.headers.host}${path}`;
      seen.push({ method: req.method ?? '', url, headers: { ...req.headers } as Headers });
      return false;
    },
  });
  worker = new WorkerProcess(api.databaseUrl ?? '', { ...env, HOLDFAST_ALLOW_PRIVATE: site.origin });
  await worker.saying(/is ready/);
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await site?.stop();
});

const identity = (...words: string[]) =>
  runHoldfast(['identity', ...words], { ...env, DATABASE_URL: api.databaseUrl ?? '' });

async function crawled(): Promise<SeenRequest[]> {
  seen = [];
  const { job } = await enqueueJob(api.pool, { kind: 'crawl', payload: { url: `${site.origin}/` } });
  await vi.waitUntil(async () => (await showJob(api.pool, job.id)).status === 'completed', {
    timeout: 50_000,
    interval: 25,
  });
  expect(seen.length).toBeGreaterThan(2);
  return seen;
}

const directory = () => fetch(`${api.address}/.well-known/http-message-signatures-directory`);

async function keyLookup() {
  const { keys } = (await (await directory()).json()) as {
    keys: { kid: string; kty: string; crv: string; x: string }[];
  };
  return async ({ keyid }: { keyid?: string }) => {
    const jwk = keys.find(({ kid }) => kid === keyid);
    if (!jwk) return null;
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return {
      id: jwk.kid,
      algs: ['ed25519'],
      verify: async (data: Buffer, signature: Buffer) => verify(null, data, key, signature),
    };
  };
}

/** By another implementation of RFC 9421. */
async function verifies(request: SeenRequest, at = Date.now()): Promise<boolean> {
  vi.useFakeTimers({ now: at, toFake: ['Date'] });
  try {
    const config = {
      keyLookup: await keyLookup(),
      requiredFields: ['@authority', 'signature-agent'],
      requiredParams: ['created', 'expires', 'keyid', 'nonce', 'tag'],
      tolerance: 5,
    };
    return (await httpbis.verifyMessage(config, request)) === true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}

const keyIdOf = ({ headers }: SeenRequest) => /keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1];

test('a crawl says who it is when it has an identity, and others can verify it; a rotation interrupts nothing', {
  timeout: 240_000,
}, async () => {
  expect((await directory()).status).toBe(404);
  for (const { headers } of await crawled()) expect(headers).not.toHaveProperty('signature');

  const agent = api.address;
  expect(await identity('create', '--url', 'http://crawler.example/')).toMatchObject({ exit: 2 });
  expect(await identity('create', '--url', agent)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(agent),
  });
  expect(await identity('create', '--url', agent)).toMatchObject({ exit: 4 });

  const requests = await crawled();
  for (const request of requests) {
    expect(request.headers['signature-agent']).toBe(`"${agent}"`);
    expect(await verifies(request)).toBe(true);
  }
  const nonces = requests.map(({ headers }) => /nonce="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1]);
  expect(new Set(nonces).size).toBe(requests.length);

  const [request] = requests as [SeenRequest];
  expect(await verifies({ ...request, url: 'http://elsewhere.example/' })).toBe(false);
  // Two minutes after it was signed, it says nothing any more.
  expect(await verifies(request, Date.now() + 130_000)).toBe(false);

  const answer = await directory();
  expect(answer.headers.get('content-type')).toBe('application/http-message-signatures-directory+json');
  const lookup = await keyLookup();
  const asked = { method: 'GET', url: answer.url, headers: {} };
  const response = { status: 200, headers: Object.fromEntries(answer.headers) };
  expect(await httpbis.verifyMessage({ keyLookup: lookup, tolerance: 5, all: true }, response, asked)).toBe(
    true,
  );

  // The new key is published before it signs.
  const before = keyIdOf(request);
  expect(await identity('rotate')).toMatchObject({ exit: 0 });
  const states = JSON.parse((await identity('show', '--json')).stdout) as { id: string; status: string }[];
  expect(states.map(({ id, status }) => [id === before, status])).toEqual([
    [false, 'upcoming'],
    [true, 'signing'],
  ]);
  expect((await crawled()).map(keyIdOf).every((id) => id === before)).toBe(true);
  await api.pool.query('UPDATE identity_keys SET active_from = now() WHERE active_from > now()');
  const after = await crawled();
  for (const one of after) expect([keyIdOf(one), await verifies(one)]).toEqual([states[0]?.id, true]);
  // What the old key has signed is still verified.
  expect(await verifies(request, Date.now())).toBe(true);

  // A key that others know leaves at once, and what it has signed with it.
  expect(await identity('rotate', '--now')).toMatchObject({ exit: 0 });
  expect(await verifies(after[0] as SeenRequest)).toBe(false);
  for (const one of await crawled()) expect(await verifies(one)).toBe(true);
  const { rows } = await api.pool.query('SELECT id FROM secrets');
  expect(rows).toHaveLength(1);
  expect(await identity('remove')).toMatchObject({ exit: 0 });
  for (const { headers } of await crawled()) expect(headers).not.toHaveProperty('signature');
});

test('its private key is in no row, answer or log in clear', async () => {
  await identity('create', '--url', api.address);
  const { rows } = await api.pool.query<{ text: string }>(
    "SELECT encode(sealed, 'escape') AS text FROM secrets",
  );
  expect(rows).toHaveLength(1);
  for (const { text } of rows) expect(text).not.toMatch(/PRIVATE KEY/);
  await crawled();
  const told = [
    JSON.stringify(worker.lines),
    await (await directory()).text(),
    (await identity('show', '--json')).stdout,
  ];
  for (const text of told) expect(text).not.toMatch(/PRIVATE|"d":/);
});
