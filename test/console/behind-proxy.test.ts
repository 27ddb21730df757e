import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { ReverseProxy } from '../proxy-fixture/reverse-proxy.ts';
import { ConsoleFixture } from './console-fixture.ts';

const env: Record<string, string> = {};
let proxy: ReverseProxy;
beforeAll(async () => {
  proxy = await ReverseProxy.start('tls');
  env.HOLDFAST_PUBLIC_URL = proxy.origin;
});
const console = new ConsoleFixture(env);
const plain = new ListeningApi();
beforeAll(() => proxy.standBefore(console.api.address));
afterAll(() => proxy.stop());

describe('behind a proxy that does TLS and asks by another name', () => {
  test('a browser signs in at the public address, with a cookie that travels over TLS alone, and works', async () => {
    const page = await console.newPage({ ignoreHTTPSErrors: true }, proxy.origin);
    await page.goto('/jobs');
    await page.getByLabel('API key').fill(await console.api.key({ name: 'mine' }));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    expect(await page.context().cookies()).toMatchObject([
      { name: 'holdfast_session', secure: true, httpOnly: true, sameSite: 'Strict' },
    ]);
    // A write: it is held to the origin as well.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  test('the public address over plain HTTP, and any other site, may not sign in', async () => {
    const key = await console.api.key();
    const { host } = new URL(proxy.origin);
    for (const origin of [`http://${host}`, 'https://evil.test'])
      expect(
        await console.api.json('/api/session', {
          method: 'POST',
          key: null,
          body: { key },
          headers: { origin },
        }),
      ).toMatchObject({
        status: 403,
        body: { error: { code: 'csrf_refused', hint: expect.stringContaining(proxy.origin) } },
      });
  });
});

describe('behind a proxy that nobody told it of', () => {
  test('signing in is refused, and the hint names the setting', async () => {
    const other = await ReverseProxy.start('plain');
    try {
      await other.standBefore(plain.address);
      const answer = await fetch(`${other.origin}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: other.origin },
        body: JSON.stringify({ key: await plain.key() }),
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { error: { code: 'csrf_refused', hint: expect.stringContaining('HOLDFAST_PUBLIC_URL') } },
      ]);
    } finally {
      await other.stop();
    }
  });
});
