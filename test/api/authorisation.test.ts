import { allowsScope, type KeyScope, keyScopes } from '@holdfast/contract';
import { beforeAll, expect, test } from 'vitest';
import { ApiFixture } from '../api-fixture/api-fixture.ts';
import { fetchFrom } from './fetch-from.ts';
import { ownedNouns, sharedRoutes } from './owned-things.ts';
import { documentOf, pathOf, type RouteCall, routeCalls } from './route-calls.ts';

const api = new ApiFixture();
let calls: RouteCall[];
let address: string;
beforeAll(async () => {
  calls = routeCalls(api.server);
  address = await api.server.listen({ port: 0 });
});

const nobody = '01a1e1d5-de60-7d19-800b-34c5346a372f';
const nameOf = ({ method, url }: RouteCall) => `${method} ${url}`;
/** The path with something in the place of each parameter. */
const somePath = ({ url }: RouteCall) => pathOf(url, new Proxy({}, { get: () => nobody }));

test('the routes that need no key are these and no others', () => {
  const open = calls.filter(({ access }) => access === 'public').map(nameOf);
  const probes = ['/health', '/healthz', '/ready', '/readyz', '/live', '/livez'];
  const pages = ['/status', ...probes, '/api/openapi.json', '/api/session'];
  const expected = [
    ...pages.flatMap((url) => [`GET ${url}`, `HEAD ${url}`]),
    'POST /api/session',
    'DELETE /api/session',
  ];
  // Files without data: the documentation, and the console, which is none but the API's data to who is signed in.
  const files = open.filter((name) => / \/api\/docs| \/(?!api\/|health|ready|live|status)/.test(name));
  expect(open.filter((name) => !files.includes(name)).toSorted()).toEqual(expected.toSorted());
  expect(files.filter((name) => !/^(GET|HEAD) /.test(name))).toEqual([]);
  expect(files.length).toBeGreaterThan(0);
});

test('every other route answers 401 without a key', async () => {
  const closed = calls.filter(({ access }) => access !== 'public');
  expect(closed.length).toBeGreaterThan(10);
  for (const call of closed) {
    const { status } = await fetchFrom(address, call.method, somePath(call), {});
    expect([nameOf(call), status]).toEqual([nameOf(call), 401]);
  }
});

test('every other route answers 403 to a key whose scope is too small', async () => {
  const keys = new Map<KeyScope, string>();
  for (const scope of keyScopes) keys.set(scope, await api.key({ scopes: [scope] }));
  for (const call of calls) {
    if (typeof call.access !== 'object') continue;
    const { scope: needed } = call.access;
    for (const [scope, key] of keys) {
      if (allowsScope([scope], needed)) continue;
      const { status } = await fetchFrom(address, call.method, somePath(call), { key });
      expect([nameOf(call), scope, status]).toEqual([nameOf(call), scope, 403]);
    }
  }
});

test('what belongs to another owner is not there: 404, with the key of anyone but an operator', async () => {
  const { schemas } = documentOf(api.server);
  const scopes: KeyScope[] = ['jobs:read', 'jobs:write', 'bots'];
  const [owner, other] = [
    await api.key({ scopes, user_id: 'bob' }),
    await api.key({ scopes, user_id: 'mallory' }),
  ];
  const owned = calls.filter(
    ({ access, url }) =>
      typeof access === 'object' && allowsScope(scopes, access.scope) && url.includes('/:'),
  );
  expect(owned.length).toBeGreaterThan(5);
  for (const call of owned.filter(({ url }) => !sharedRoutes.test(url))) {
    const noun = ownedNouns.find(({ routes }) => routes.test(call.url));
    if (!noun) throw new Error(`${nameOf(call)}: say in owned-things.ts what it shows and how to make one`);
    const samples = call.parameters
      .filter(({ in: place }) => place === 'path')
      .map(({ name, schema }) => [name, String(schemas.sample(schema))]);
    const values = { ...Object.fromEntries(samples), ...(await noun.make(api.pool, 'bob')) };
    const query = call.parameters
      .filter(({ in: place, required }) => place === 'query' && required)
      .map(({ name, schema }): [string, string] => [name, String(schemas.sample(schema))]);
    const path = `${pathOf(call.url, values)}?${new URLSearchParams(query)}`;
    const body = call.body && JSON.stringify(noun.body ?? schemas.sample(call.body) ?? undefined);
    const ask = (key: string) => fetchFrom(address, call.method, path, { key, body });
    const refused = await ask(other);
    expect([nameOf(call), refused.status, refused.text]).toEqual([nameOf(call), 404, expect.anything()]);
    // Otherwise nothing would be shown: a route that answers 404 to all of them knows no owners. HEAD is as its GET.
    if (call.method === 'HEAD') continue;
    const answered = await ask(owner);
    expect([nameOf(call), codeOf(answered.text)]).not.toEqual([nameOf(call), codeOf(refused.text)]);
  }
});

/** Of an error, what it is; of anything else, all of it. */
function codeOf(text: string): unknown {
  if (!text.startsWith('{')) return text;
  const { error } = JSON.parse(text);
  return error?.code ?? error ?? text;
}
