import { expect, test } from 'vitest';
import { loggerTo } from './logger.ts';

function logged(write: (log: ReturnType<typeof loggerTo>) => void): string {
  const lines: string[] = [];
  write(loggerTo({ write: (line) => lines.push(line) }, { logLevel: 'info' }));
  return lines.join('');
}

const key = `hf_${'k'.repeat(43)}`;
const webhookSecret = `whsec_${'k+/'.repeat(14)}k=`;

test.each([
  ['authorisation', { headers: { authorization: 'Bearer abcdefgh12345678' } }, 'abcdefgh12345678'],
  ['cookies', { request: { headers: { cookie: 'holdfast_session=s3cret' } } }, 's3cret'],
  ['passwords', { database: { password: 'hunter2' } }, 'hunter2'],
  ['secrets of a payload, however deep', { job: { payload: { a: [{ client_secret: 'hush' }] } } }, 'hush'],
  ['lease tokens', { lease_token: 'lt-123' }, 'lt-123'],
  ['user info in a URL', { url: 'https://ann:hunter2@example.com/x' }, 'hunter2'],
  ['the same without a name', { url: 'https://hunter2@example.com/x' }, 'hunter2'],
  ['the password of the database', { at: 'postgresql://app:hunter2@db:5432/x?sslmode=require' }, 'hunter2'],
  ['our own keys in any text', { text: `curl -H 'X-Api-Key: ${key}'` }, key],
  ['secrets of webhooks in any text', { text: `signed with ${webhookSecret}` }, webhookSecret],
  ['what an error says', { err: new Error(`GET https://ann:hunter2@example.com/ failed`) }, 'hunter2'],
])('a log line does not tell %s', (_what, fields, secret) => {
  const line = logged((log) => log.info(fields, 'something happened'));
  expect(line).toContain('something happened');
  expect(line).toContain('[redacted]');
  expect(line).not.toContain(secret);
});

test('the message and what a child logger always tells are cleaned too', () => {
  const line = logged((log) =>
    log
      .child({ site: 'ftp://u:hunter2@files.example/' })
      .warn('Sent Authorization: Basic aHVudGVyMjpodW50ZXIy'),
  );
  expect(line).toContain('ftp://[redacted]@files.example/');
  expect(line).not.toMatch(/hunter2|aHVudGVy/);
});

test('what is no secret stays as it is', () => {
  const fields = {
    job: '019a8c2e-0000-7000-8000-000000000000',
    url: 'https://example.com/@ann/posts?email=a@b.example',
    mail: ['"https://example.com"', 'a@b.example'],
    tokens: 17,
    has_secret: true,
    at: new Date(0),
    nothing: null,
  };
  const line = JSON.parse(logged((log) => log.info(fields, 'as it is')));
  expect(line).toMatchObject({ ...fields, at: '1970-01-01T00:00:00.000Z' });
});
