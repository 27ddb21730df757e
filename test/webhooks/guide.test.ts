import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  maxWebhooksPerOwner,
  settings,
  webhookBackoff,
  webhookEvents,
  webhookPatienceDays,
} from '@holdfast/contract';
import { expect, test } from 'vitest';
import { makeSecret, signDelivery } from '../../packages/server/src/queue/webhooks/send-delivery.ts';

const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

test('the guide tells of every event, and of no other', () => {
  const rows = [...guide.matchAll(/^\| `([a-z]+\.[a-z]+)` \| (.+) \|$/gm)].map(([, name, meaning]) => [
    name,
    meaning,
  ]);
  expect(Object.fromEntries(rows)).toEqual(webhookEvents);
});

test('the guide tells how long is waited, as it is', () => {
  const { firstSeconds, factor, maxSeconds, jitter } = webhookBackoff;
  expect([firstSeconds, factor, maxSeconds / 3600, jitter]).toEqual([10, 3, 6, 0.2]);
  const attempts = settings.webhookAttempts.schema.parse(undefined);
  const waits = Array.from({ length: attempts - 1 }, (_, n) =>
    Math.min(firstSeconds * factor ** n, maxSeconds),
  );
  expect(Math.round(waits.reduce((sum, wait) => sum + wait) / 3600)).toBe(27);
  expect([attempts, webhookPatienceDays, maxWebhooksPerOwner]).toEqual([12, 3, 20]);
  expect(settings.webhookTimeoutSeconds.schema.parse(undefined)).toBe(15);
  expect(settings.webhookConcurrency.schema.parse(undefined)).toBe(16);
});

test('its Python takes what we sign, and nothing else', (context) => {
  if (spawnSync('python3', ['--version']).status !== 0) context.skip();
  const [, source = ''] = /^```python\n(.*?)^```$/ms.exec(guide) ?? [];
  const secret = makeSecret();
  const body = '{"type":"job.completed","data":{"url":"https://ü.example/"}}';
  const headers = signDelivery('01a1e1d5-de60-7d19-800b-34c5346a372f', body, [makeSecret(), secret]);
  const verify = (given: object, text = body, at = new Date()) => {
    const input = JSON.stringify({ headers: given, body: text, secret, at: at.getTime() / 1000 });
    const program = `${source}
import sys
given = json.load(sys.stdin)
time.time = lambda: given["at"]
print(verify_webhook(given["body"].encode(), given["headers"], given["secret"])["type"])`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
    return stdout.trim() || stderr.trim().split('\n').at(-1);
  };
  expect(verify(headers)).toBe('job.completed');
  expect(verify(headers, body.replace('ü', 'u'))).toBe('ValueError: no matching signature');
  expect(verify({ ...headers, 'webhook-id': 'msg_x' })).toBe('ValueError: no matching signature');
  expect(verify(headers, body, new Date(Date.now() + 400_000))).toBe(
    'ValueError: timestamp outside tolerance',
  );
  for (const missing of Object.keys(headers))
    expect(verify({ ...headers, [missing]: undefined })).toBe('ValueError: missing header');
  expect(verify({ ...headers, 'webhook-timestamp': 'now' })).toMatch(/^ValueError: /);
});
