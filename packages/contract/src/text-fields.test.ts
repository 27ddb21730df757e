import { expect, test } from 'vitest';
import type { z } from 'zod';
import { problemsOf } from './describe-issues.ts';
import { botName, headerText, pageUrl } from './text-fields.ts';

const problem = (schema: z.ZodString, value: string) => {
  const { error } = schema.safeParse(value);
  return error && problemsOf(error)[0]?.message;
};

test.each([
  'https://example.com',
  'http://example.com:8080/a?b=c#d',
  'https://bücher.example/ü',
  'http://example.com./',
  'http://[2001:db8::1]/',
  'http://192.0.2.1:81/',
  'http://localhost:6000/',
  'http://a_b.example/',
])('%s can be fetched', (url) => {
  expect(problem(pageUrl, url)).toBeUndefined();
});

test.each([
  ['', 'must not be empty'],
  ['example.com', 'must be an absolute http or https URL'],
  ['ftp://example.com/', 'must be an absolute http or https URL'],
  ['https://', 'must be an absolute http or https URL'],
  ['http://example.com:99999/', 'must be an absolute http or https URL'],
  ['http://example.com:25/', 'must not use port 25, which crawlers never fetch'],
  ['https://example.com:6667/', 'must not use port 6667, which crawlers never fetch'],
  ['https://./', 'must have a valid host name, such as example.com'],
  ['https://a..b/', 'must have a valid host name, such as example.com'],
  [`https://${'a'.repeat(64)}.example/`, 'must have a valid host name, such as example.com'],
  [`https://${'a.'.repeat(127)}example/`, 'must have a valid host name, such as example.com'],
  [`https://example.com/${'x'.repeat(2048)}`, 'must have at most 2048 characters'],
  [`https://example.com/${'ü'.repeat(1000)}`, 'must have at most 2048 characters when it is encoded'],
])('%s cannot: %s', (url, message) => {
  expect(problem(pageUrl, url)).toBe(message);
});

test.each(['bot-001', 'string', 'price bot/1', 'eu.west:1@shop', 'ボット', '…', 'x'.repeat(100)])(
  '%j is a name of a bot',
  (name) => {
    expect(problem(botName, name)).toBeUndefined();
  },
);

test.each([' a', 'a ', 'a  b', 'a\nb', 'a\tb', '\u200b', '\u202ex', '.', '..', ' '])(
  '%j is none, and the error says what is',
  (name) => {
    expect(problem(botName, name)).toBe(
      'must contain only visible characters and single spaces, such as bot-001',
    );
  },
);

test.each(['Holdfast/0.2', 'Mozilla/5.0 (X11; Linux x86_64)', 'a\tb', ' a '])(
  '%j can be sent as a header',
  (value) => {
    expect(problem(headerText(500), value)).toBeUndefined();
  },
);

test.each(['x\r\ny: z', 'x\n', 'ü', 'ボット', ' ', '\t', 'a\x7f', '\u200b'])('%j cannot', (value) => {
  expect(problem(headerText(500), value)).toBe(
    'must contain only visible ASCII characters and spaces, because it is sent as a header',
  );
});

test('a long text is judged at once, whatever it ends with', () => {
  expect(headerText(500).safeParse(`${'a'.repeat(1_000_000)}ü`).success).toBe(false);
});
