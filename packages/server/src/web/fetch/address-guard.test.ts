import { describe, expect, test } from 'vitest';
import { AddressGuard } from './address-guard.ts';

const guard = new AddressGuard(['http://127.0.0.1:8080', 'https://wiki.corp']);
const check = (url: string) => () => guard.checkUrl(new URL(url));
const refusal = expect.objectContaining({ code: 'address_forbidden' });

describe('the guard of addresses', () => {
  test.each([
    'http://example.com/',
    'https://example.com:8443/x',
    'http://8.8.8.8/',
    'http://[2606:4700::1111]/',
  ])('lets %s pass', (url) => expect(check(url)).not.toThrow());

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1./',
    'http://[::ffff:127.0.0.1]/',
    'http://①②⑦.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://db.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://metadata/',
  ])('refuses %s', (url) => expect(check(url)).toThrow(refusal));

  test('gives every refusal the same text', () => {
    const texts = ['http://127.0.0.1/', 'http://metadata/', 'http://[fe80::1]/'].map((url) => {
      try {
        check(url)();
      } catch (error) {
        return String(error);
      }
      return 'passed';
    });
    expect(new Set(texts)).toEqual(new Set(['HoldfastError: The address is not allowed']));
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'jar:http://127.0.0.1!/', 'data:text/html,x'])(
    'takes %s for no URL of the web',
    (url) => expect(check(url)).toThrow(expect.objectContaining({ code: 'url_invalid' })),
  );

  test.each(['http://example.com:22/', 'https://example.com:25/', 'http://example.com:6667/'])(
    'refuses the port of %s, as browsers do',
    (url) => expect(check(url)).toThrow(expect.objectContaining({ code: 'url_invalid' })),
  );

  test('refuses a name of which a single answer is not public', () => {
    expect(() => guard.checkAddresses('http://example.com', ['8.8.8.8', '10.0.0.1'])).toThrow(refusal);
    expect(() => guard.checkAddresses('http://example.com', ['8.8.8.8', '1.1.1.1'])).not.toThrow();
  });

  test('lets an origin on the allow-list pass, and no other of its host', () => {
    expect(check('http://127.0.0.1:8080/page')).not.toThrow();
    expect(check('https://wiki.corp:443/')).not.toThrow();
    for (const url of [
      'http://127.0.0.1/',
      'http://127.0.0.1:8081/',
      'https://127.0.0.1:8080/',
      'http://wiki.corp/',
    ]) {
      expect(check(url)).toThrow(refusal);
    }
  });

  test.each(['*', '127.0.0.1', 'http://127.0.0.1/path', 'ftp://127.0.0.1', 'http://user@127.0.0.1'])(
    'takes %s for no origin',
    (text) =>
      expect(() => new AddressGuard([text])).toThrow(expect.objectContaining({ code: 'config_invalid' })),
  );
});
