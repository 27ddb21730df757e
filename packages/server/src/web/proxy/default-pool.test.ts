import { readConfiguration } from '@holdfast/contract';
import { afterEach, expect, test } from 'vitest';
import { HttpFetcher } from '../fetch/http-fetcher.ts';
import { type LocalSite, startSite } from '../fetch/testing/local-site.ts';
import { goesDirect, throughDefault } from './default-pool.ts';
import { startHttpProxy } from './testing/local-proxy.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const bypassOf = (text: string) => readConfiguration({ HOLDFAST_NO_PROXY: text });

test.each([
  ['localhost:8080', 'localhost:8080', true],
  ['localhost:8080', 'localhost:9090', false],
  ['intranet', 'intranet:81', true],
  ['*.example.com', 'a.b.example.com:8443', true],
  ['*.example.com', 'example.com', false],
  ['.example.com', 'www.example.com', true],
  ['a.example, B.example', 'b.example', true],
  ['*', 'anything.example', true],
  ['', 'anything.example', false],
])('HOLDFAST_NO_PROXY=%s and %s: %s', (text, host, isDirect) => {
  expect(goesDirect(bypassOf(text), host)).toBe(isDirect);
});

test('what belongs to no job, such as a webhook, goes through HOLDFAST_PROXY, unless its host is left out', async () => {
  const site: LocalSite = await startSite((_, response) => response.end());
  const proxy = await startHttpProxy({ username: 'me', password: 'x' });
  closers.push(site.close, proxy.close);
  const send = async (env: Record<string, string>) => {
    const http = new HttpFetcher({ allowOrigins: [site.origin] });
    closers.push(() => http.close());
    const setting = { HOLDFAST_PROXY: `http://me:x@127.0.0.1:${proxy.port}`, ...env };
    const fetcher = throughDefault(http, readConfiguration(setting));
    return await fetcher.fetch({ url: `${site.origin}/hook`, body: '{}', headers: {} });
  };
  expect((await send({})).proxy).toBe('default');
  expect((await send({ HOLDFAST_NO_PROXY: '127.0.0.1' })).proxy).toBeUndefined();
  expect(proxy.asked).toHaveLength(1);
  expect(site.requests).toEqual(['POST /hook', 'POST /hook']);
});

test('HOLDFAST_PROXY that is no URL is refused without being shown', () => {
  const read = () => readConfiguration({ HOLDFAST_PROXY: 'http://a.example:1 planted-secret@x' });
  expect(read).toThrow(/HOLDFAST_PROXY.*must start with http:\/\//);
  expect(read).not.toThrow(/planted/);
});
