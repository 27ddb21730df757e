import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { ApiFixture } from '../api-fixture/api-fixture.ts';
import { documentOf } from './route-calls.ts';

const api = new ApiFixture();

test('the document is valid OpenAPI 3.1', async () => {
  const answer = await api.call('GET', '/api/openapi.json', { key: null });
  const validator = new Validator();
  const result = await validator.validate(answer.json());
  expect(result.errors).toBeUndefined();
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

test('every route under /api/v1 is in it, with a name of its own, a summary and what it answers', () => {
  const { document } = documentOf(api.server);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  ) as { name: string; operation: Record<string, unknown> }[];
  const described = new Set(operations.map(({ name }) => name));
  const native = api.server.registeredRoutes
    .filter(({ url, method }) => url.startsWith('/api/v1/') && method !== 'HEAD')
    // Other spellings of a route are described once.
    .filter(({ schema }) => !(schema as { hide?: boolean } | undefined)?.hide)
    .map(({ url, method }) => `${method} ${url.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(native.filter((name) => !described.has(name) && !described.has(`${name}/`))).toEqual([]);
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { name, operation } of operations) {
    expect(operation, name).toMatchObject({
      operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
      summary: expect.any(String),
      tags: [expect.any(String)],
    });
  }
});

test('schemas are called as people would call them', () => {
  const { document } = documentOf(api.server);
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(
    expect.arrayContaining(['NewJob', 'NewPolicy', 'Job', 'SubmitRequest', 'PolicyChange']),
  );
  expect(names.filter((name) => name.endsWith('Input'))).toEqual([]);
});

test('what a bot may send as parsed_data is described as what it is: anything', () => {
  const { schemas } = documentOf(api.server).document.components;
  expect(schemas.SubmitRequest?.properties?.parsed_data).toEqual({
    description: 'any JSON, up to a million characters',
  });
});

test('the page that shows it loads its parts from here alone, and they are there', async () => {
  const page = await api.call('GET', '/api/docs/', { key: null });
  expect(page.statusCode).toBe(200);
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, url = '']) => new URL(url, 'http://here/api/docs/'),
  );
  expect(parts.length).toBeGreaterThan(3);
  for (const { origin, pathname } of parts) {
    expect(origin).toBe('http://here');
    expect([pathname, (await api.call('GET', pathname, { key: null })).statusCode]).toEqual([pathname, 200]);
  }
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/script-src 'self';/);
  const initializer = await api.call('GET', '/api/docs/static/swagger-initializer.js', { key: null });
  expect(initializer.body).toContain('/api/openapi.json');
});
