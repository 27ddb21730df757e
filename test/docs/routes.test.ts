import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { type ApiDocument, routesPage } from './routes-page.ts';

const api = new ListeningApi();

test('docs/routes.md has every route of the OpenAPI document (written anew with -u)', async () => {
  const { body } = await api.json('/api/openapi.json');
  const page = routesPage(body as ApiDocument);
  expect([...page.matchAll(/^\| `(\S+ \S+)` \| +\|/gm)].map(([, route]) => route)).toEqual([]);
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL('../../docs/routes.md', import.meta.url)));
});
