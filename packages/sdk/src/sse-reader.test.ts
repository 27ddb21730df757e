import { expect, test } from 'vitest';
import { type SseMessage, SseReader } from './sse-reader.ts';

const stream = [
  '\u{feff}retry: 2000\n\n',
  ':a beat\nid: 7\n\n',
  'event: transition\r\nid: 8\r\ndata: {"a":1}\r\n\r\n',
  'data:first\rdata: second\rdata\r\r',
  'id: bad\0id\ndata: Grüße, 世界 👋\n\n',
  'retry: soon\nunknown: x\nevent: nothing\n\n',
  'id\ndata: reset\n\n',
  'data: cut off',
].join('');
const expected: SseMessage[] = [
  { event: 'transition', data: '{"a":1}', id: '8' },
  { event: 'message', data: 'first\nsecond\n', id: '8' },
  { event: 'message', data: 'Grüße, 世界 👋', id: '8' },
  { event: 'message', data: 'reset', id: '' },
];

test('messages are the same however the stream is cut into pieces', () => {
  const bytes = new TextEncoder().encode(stream);
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const decoder = new TextDecoder();
    const reader = new SseReader('6');
    const messages: SseMessage[] = [];
    for (let start = 0; start < bytes.length; start += size)
      messages.push(...reader.read(decoder.decode(bytes.subarray(start, start + size), { stream: true })));
    expect(messages, `in pieces of ${size}`).toEqual(expected);
    expect(reader.retryMs).toBe(2000);
    expect(reader.lastEventId).toBe('');
  }
});

test('an id counts when its message is complete, with or without data', () => {
  const reader = new SseReader('6');
  reader.read('id: 7\n');
  expect(reader.lastEventId).toBe('6');
  reader.read('\n');
  expect(reader.lastEventId).toBe('7');
  reader.read('id: 8\ndata: half of it');
  expect(reader.lastEventId).toBe('7');
});
