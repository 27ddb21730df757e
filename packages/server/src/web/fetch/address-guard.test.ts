import { describe, expect, test } from 'vitest';
import { AddressGuard, isPublicAddress } from './address-guard.ts';

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

describe('an address is public', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2001:4860::5efe:808:808',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('an address is not public', () => {
  test.each([
    ['0.0.0.0', 'this network'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'metadata of Alibaba'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'wire server of Azure'],
    ['169.254.169.254', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'metadata of Oracle'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::8.8.8.8', 'IPv4-compatible, whatever is inside'],
    ['::808:808', 'the same in hexadecimal'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:a9fe:a9fe', 'IPv4-mapped in hexadecimal'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::127.0.0.1', 'NAT64 to loopback'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 to metadata'],
    ['64:ff9b:1::8.8.8.8', 'NAT64 for local use'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:0:7f00:1::80ff:fffe', 'Teredo'],
    ['2001:2::1', 'benchmarks'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4 to loopback'],
    ['2002:a9fe:a9fe::1', '6to4 to metadata'],
    ['2606:4700::5efe:10.0.0.1', 'ISATAP to a private address'],
    ['2606:4700::200:5efe:7f00:1', 'ISATAP to loopback'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'never assigned'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of AWS'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'with a zone'],
    ['2606:4700::1%eth0', 'with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['0177.0.0.1', 'no answer of a resolver'],
    ['127.1', 'no answer of a resolver'],
    ['', 'nothing'],
    ['example.com', 'a name'],
  ])('%s (%s)', (address) => expect(isPublicAddress(address)).toBe(false));
});
