import { expect, test } from 'vitest';
import { readConfiguration } from './configuration.ts';
import { HoldfastError } from './errors.ts';

const odd = ['http://LOCALHOST:7220', ' http://127.0.0.1:80/', 'http://bücher.localhost'];
const canonical = ['http://localhost:7220', 'http://127.0.0.1', 'http://xn--bcher-kva.localhost'];

test('origins that may be fetched are the same in any spelling, from the variable and from the flag', () => {
  expect(readConfiguration({ HOLDFAST_ALLOW_PRIVATE: odd.join(',') }).allowPrivate).toEqual(canonical);
  expect(readConfiguration({}, { allowPrivate: odd }).allowPrivate).toEqual(canonical);
});

test('the public address is an origin, in any spelling', () => {
  const given = ['https://Holdfast.example', ' https://holdfast.example:443/ ', 'http://10.0.0.5:8080'];
  expect(given.map((text) => readConfiguration({ HOLDFAST_PUBLIC_URL: text }).publicUrl)).toEqual([
    'https://holdfast.example',
    'https://holdfast.example',
    'http://10.0.0.5:8080',
  ]);
  expect(readConfiguration({}).publicUrl).toBeUndefined();
});

test.each<[string, Parameters<typeof readConfiguration>]>([
  [
    '--allow-private has "localhost" in it, which is no origin; write it as http://localhost:8080',
    [{}, { allowPrivate: ['http://a.test', 'localhost'] }],
  ],
  [
    'HOLDFAST_USER_AGENT must contain only visible ASCII characters and spaces, because it is sent as a header',
    [{ HOLDFAST_USER_AGENT: 'Bücher/1' }],
  ],
  [
    'HOLDFAST_PUBLIC_URL must be an http or https address; write it as https://holdfast.example',
    [{ HOLDFAST_PUBLIC_URL: 'holdfast.example' }],
  ],
  [
    'HOLDFAST_PUBLIC_URL must be an http or https address; write it as https://holdfast.example',
    [{ HOLDFAST_PUBLIC_URL: 'ftp://holdfast.example/' }],
  ],
  [
    'HOLDFAST_PUBLIC_URL has the path /crawl; Holdfast does not run below a path. Give it a host name of its own, such as https://holdfast.example',
    [{ HOLDFAST_PUBLIC_URL: 'https://tools.example/crawl' }],
  ],
  [
    'HOLDFAST_PUBLIC_URL must be scheme, host and port alone; write it as https://holdfast.example',
    [{ HOLDFAST_PUBLIC_URL: 'https://me:secret@holdfast.example' }],
  ],
])('what cannot be used is refused: %s', (message, given) => {
  expect(() => readConfiguration(...given)).toThrow(new HoldfastError('config_invalid', message).message);
});
