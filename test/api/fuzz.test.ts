import fc from 'fast-check';
import { beforeAll, test } from 'vitest';
import { ApiFixture } from '../api-fixture/api-fixture.ts';
import { fetchFrom } from './fetch-from.ts';
import { naughtyValue } from './json-schema.ts';
import { naughtyText } from './naughty-text.ts';
import { ownedNouns } from './owned-things.ts';
import { documentOf, pathOf, type RouteCall, routeCalls } from './route-calls.ts';

/*
 * Calls every route with what its schemas nearly allow, and with what they do not. A route that is added later is called
 * too. HOLDFAST_TEST_SEED tries other values; HOLDFAST_TEST_FULL=1 tries for ten minutes instead of eight seconds.
 */
const seed = Number(process.env.HOLDFAST_TEST_SEED ?? 42);
const budgetMs = process.env.HOLDFAST_TEST_FULL === '1' ? 600_000 : 8_000;
/** Each route is tried at least `batch` times, whatever that takes. */
const batch = 8;
const most = process.env.HOLDFAST_TEST_FULL === '1' ? 5_000 : 200;

const api = new ApiFixture();
let address: string;
let key: string;
beforeAll(async () => {
  address = await api.server.listen({ port: 0 });
  key = await api.key({ scopes: ['admin'] });
});

interface Attempt {
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
}

test(
  'no route answers 500 or hangs, whatever it is sent',
  async () => {
    const calls = routeCalls(api.server).filter(
      ({ method, url }) => method !== 'HEAD' && !url.startsWith('/api/docs'),
    );
    for (const call of calls) {
      const arbitrary = await attempts(call);
      const until = performance.now() + budgetMs / calls.length;
      for (let round = 0; round * batch < most && (round === 0 || performance.now() < until); round++) {
        for (const attempt of fc.sample(arbitrary, { seed: seed + round, numRuns: batch }))
          await tryOut(call, attempt);
      }
    }
  },
  // The least that is tried takes its time on a busy machine.
  budgetMs + 120_000,
);

async function tryOut(call: RouteCall, attempt: Attempt): Promise<void> {
  const { path, body, headers } = attempt;
  const tried = `${call.method} ${call.url} with ${JSON.stringify(attempt).slice(0, 2_000)}`;
  const answer = await fetchFrom(address, call.method, path, { key, body, headers }).catch(
    (error: Error) => error,
  );
  if (answer instanceof Error) throw new Error(`${tried}: ${answer}, ${answer.cause}`);
  if (answer.status >= 500) throw new Error(`${tried}: ${answer.status} ${answer.text.slice(0, 500)}`);
  if (answer.type.includes('json') && answer.text !== '') checkShape(call, answer.status, answer.text);
}

function checkShape({ url }: RouteCall, status: number, text: string): void {
  const answer = JSON.parse(text);
  if (!url.startsWith('/api/v1/') || status < 400) return;
  if (typeof answer.error?.code !== 'string' || typeof answer.error?.request_id !== 'string') {
    throw new Error(`not the shape of an error: ${text.slice(0, 500)}`);
  }
}

/** Half of them lead to something that is there, so that more than the door is tried. */
async function attempts(call: RouteCall): Promise<fc.Arbitrary<Attempt>> {
  const { schemas } = documentOf(api.server);
  const { url, method, parameters } = call;
  const owned = (await ownedNouns.find(({ routes }) => routes.test(url))?.make(api.pool, 'alice')) ?? {};
  const values = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema;
    const sample = owned[name] ?? String(schema ? schemas.sample(schema) : 'x');
    const text = naughtyText(200).filter((value) => !/^\.{0,2}$/.test(value));
    return [
      name,
      fc.oneof({ weight: 3, arbitrary: fc.constant(sample) }, { weight: 1, arbitrary: text }),
    ] as const;
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [
      name,
      fc.oneof(
        { weight: 2, arbitrary: schemas.allowed(schema) },
        { weight: 1, arbitrary: schemas.nearly(schema) },
        { weight: 9, arbitrary: fc.constant(undefined) },
      ),
    ]);
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, schema }) => [
      name,
      schemas.nearly(schema).map((value) =>
        String(value)
          .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
          .trim()
          .slice(0, 3_000),
      ),
    ]);
  const takesBody = !['GET', 'HEAD'].includes(method);
  const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
  const body = takesBody
    ? fc.oneof(
        { weight: 8, arbitrary: (call.body ? schemas.nearly(call.body) : naughtyValue).map(json) },
        ...(call.body ? [{ weight: 12, arbitrary: schemas.allowed(call.body).map(json) }] : []),
        { weight: 12, arbitrary: (call.body ? schemas.allowed(call.body) : naughtyValue).map(json) },
        { weight: 1, arbitrary: naughtyText(200).map((text) => text.toWellFormed()) },
        { weight: 1, arbitrary: fc.constant(undefined) },
      )
    : fc.constant(undefined);
  return fc
    .record({
      values: fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<string>>),
      query: fc.record(Object.fromEntries(query) as Record<string, fc.Arbitrary<unknown>>),
      headers: fc.record(Object.fromEntries(headers) as Record<string, fc.Arbitrary<string>>),
      rawQuery: fc.oneof(
        { weight: 9, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom(...rawQueries) },
      ),
      body,
    })
    .map(({ values, query, headers, rawQuery, body }) => ({
      path: `${pathOf(url, values)}?${queryText(query)}${rawQuery}`,
      body,
      headers,
    }));
}

const rawQueries = [
  '&__proto__=1',
  '&=',
  '&%ff%fe=1',
  '&limit=%00',
  '&a[b][c]=1',
  '&limit=1&limit=2',
  `&${'x=1&'.repeat(2_000)}`,
];

function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item) => [name, textOf(item)] as [string, string]),
  );
  return new URLSearchParams(pairs.slice(0, 100)).toString().slice(0, 8_000);
}

function textOf(value: unknown): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 3_000).toWellFormed();
}
