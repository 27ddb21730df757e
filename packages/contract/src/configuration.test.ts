import { expect, test } from 'vitest';
import { readConfiguration } from './configuration.ts';
import { HoldfastError } from './errors.ts';

const odd = ['http://LOCALHOST:7220', ' http://127.0.0.1:80/', 'http://bücher.localhost'];
const canonical = ['http://localhost:7220', 'http://127.0.0.1', 'http://xn--bcher-kva.localhost'];

test('origins that may be fetched are the same in any spelling, from the variable and from the flag', () => {
  expect(readConfiguration({ HOLDFAST_ALLOW_PRIVATE: odd.join(',') }).allowPrivate).toEqual(canonical);
  expect(readConfiguration({}, { allowPrivate: odd }).allowPrivate).toEqual(canonical);
});

test.each<[string, Parameters<typeof readConfiguration>]>([
  [
    '--allow-private has "localhost" in it, which is no origin; write it as http://localhost:8080',
    [{}, { allowPrivate: ['http://a.test', 'localhost'] }],
  ],
  [
    'HOLDFAST_USER_AGENT must be made of visible ASCII characters and spaces: it is sent as a header',
    [{ HOLDFAST_USER_AGENT: 'Bücher/1' }],
  ],
])('what cannot be used is refused: %s', (message, given) => {
  expect(() => readConfiguration(...given)).toThrow(new HoldfastError('config_invalid', message).message);
});
