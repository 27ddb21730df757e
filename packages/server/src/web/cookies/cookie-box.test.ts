import { describe, expect, test } from 'vitest';
import { CookieBox } from './cookie-box.ts';

const site = 'https://shop.example.com/a/b';

describe('a cookie', () => {
  test('is sent to the host that set it, and not to others', () => {
    const box = new CookieBox();
    expect(box.receive(site, ['id=1; Path=/'])).toBe(true);
    expect(box.header(site)).toBe('id=1');
    expect(box.header('https://example.com/')).toBeUndefined();
    expect(box.header('https://a.shop.example.com/')).toBeUndefined();
    expect(box.header('https://other.test/')).toBeUndefined();
  });

  test('is sent to subdomains if it names the domain, but not set for a public suffix', () => {
    const box = new CookieBox();
    box.receive(site, ['id=1; Domain=example.com; Path=/', 'all=2; Domain=com']);
    expect(box.header('https://www.example.com/')).toBe('id=1');
  });

  test('is sent by https alone if it is secure, also to a loopback address', () => {
    const box = new CookieBox();
    box.receive('https://127.0.0.1/', ['id=1; Secure']);
    expect(box.header('https://127.0.0.1/')).toBe('id=1');
    expect(box.header('http://127.0.0.1/')).toBeUndefined();
  });

  test('is gone when it has expired, or the site takes it back', () => {
    const box = new CookieBox();
    box.receive(site, ['id=1; Path=/', 'old=1; Max-Age=-1']);
    expect(box.header(site)).toBe('id=1');
    expect(box.receive(site, ['id=; Path=/; Max-Age=0'])).toBe(true);
    expect([box.header(site), box.isEmpty]).toEqual([undefined, true]);
  });

  test('that comes again unchanged is no change', () => {
    const box = new CookieBox();
    expect(box.receive(site, ['id=1; Path=/; Max-Age=3600'])).toBe(true);
    expect(box.receive(site, ['id=1; Path=/; Max-Age=3601'])).toBe(false);
    expect(box.receive(site, ['id=1; Path=/; Max-Age=36000'])).toBe(true);
    expect(box.receive(site, ['id=2; Path=/; Max-Age=36000'])).toBe(true);
  });

  test('comes back from its stored form with its limits', () => {
    const box = new CookieBox();
    box.receive(site, [
      'own=1; Path=/a; Secure; HttpOnly',
      'wide=2; Domain=example.com; Path=/; Max-Age=3600',
    ]);
    const again = new CookieBox(JSON.parse(JSON.stringify(box.all())));
    expect(again.header(site)).toBe(box.header(site));
    expect(again.header('https://www.example.com/')).toBe('wide=2');
    expect(again.header('http://shop.example.com/a')).toBe('wide=2');
  });
});

test('a site cannot fill the memory, or make requests that no server takes', () => {
  const box = new CookieBox();
  for (let n = 0; n < 1_000; n++) box.receive(site, [`c${n}=${'x'.repeat(1_000)}; Path=/`]);
  expect(box.all()).toHaveLength(180);
  expect(box.header(site)?.length).toBeLessThan(16 * 1024);
});

test('what is no cookie is ignored', () => {
  const box = new CookieBox();
  expect(box.receive(site, ['', ';', 'a=\u0000b', 'ü=\u20ac; Path=/', '=;'])).toBe(false);
  expect(box.header(site)).toBeUndefined();
});
