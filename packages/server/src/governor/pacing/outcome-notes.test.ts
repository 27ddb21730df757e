import { describe, expect, test } from 'vitest';
import { OutcomeNotes } from './outcome-notes.ts';
import { ok, refused, tooMany } from './testing/crawler.ts';

const clock = () => 0;
const unavailable = { kind: 'http', status: 503, latencyMs: 5, retryAfterSeconds: 3 } as const;
const well = { failure_streak: 0, failed_urls: 0 };
const answer = (latencyMs: number) => ({ kind: 'ok', status: 200, latencyMs }) as const;

describe('what was noted of a source', () => {
  test('is not worth a report while all goes well, except now and then', () => {
    const notes = new OutcomeNotes(0);
    expect(notes.note(ok, clock, well, false)).toBe('later');
    expect(notes.isDue(0)).toBe(true);
    notes.collect('s', 0);
    notes.note(ok, clock, well, false);
    expect(notes.isDue(29_000)).toBe(false);
    expect(notes.isDue(30_000)).toBe(true);
  });

  test('is reported at once when it fails, and when it is well again', () => {
    const notes = new OutcomeNotes(0);
    expect(notes.note(refused, clock, well, false)).toBe('now');
    expect(notes.note(ok, clock, well, false)).toBe('now');
    expect(notes.collect('s', 0)).toMatchObject({ succeeded: true, failures: 0 });
    expect(notes.note(ok, clock, { ...well, failure_streak: 3 }, false)).toBe('now');
  });

  test('is not lost when it could not be written', () => {
    const notes = new OutcomeNotes(0);
    notes.note(tooMany(7), clock, well, true);
    const report = notes.collect('s', 0);
    notes.note(refused, clock, well, true);
    notes.restore(report);
    const both = { failures: 2, answers: 2, refused: 1, failed: 1, told_429: true, retry_after_ms: 7_000 };
    expect(notes.collect('s', 0)).toMatchObject(both);
    notes.note(ok, clock, well, true);
    notes.restore(report);
    expect(notes.collect('s', 0)).toMatchObject({ succeeded: true, failures: 0 });
  });

  test('takes a Retry-After of a year for a day', () => {
    const notes = new OutcomeNotes(0);
    notes.note(tooMany(31_536_000), clock, well, false);
    expect(notes.retryAfterMs).toBe(86_400_000);
  });

  test('holds the source for a 429; a 503 holds it only if the source is overloaded', () => {
    const notes = new OutcomeNotes(0);
    notes.note(unavailable, clock, well, false);
    expect(notes.collect('s', 0)).toMatchObject({ retry_after_ms: 0, page_retry_after_ms: 3_000 });
    notes.note(tooMany(2), clock, well, false);
    expect(notes.collect('s', 0)).toMatchObject({ retry_after_ms: 2_000, told_429: true });
  });

  test('of a crawl counts each URL that fails once, and connections that fail as failures of the source', () => {
    const notes = new OutcomeNotes(0);
    expect(notes.note(unavailable, clock, well, false)).toBe('soon');
    expect(notes.note({ ...unavailable, again: true }, clock, well, false)).toBe('later');
    expect(notes.note(refused, clock, well, false)).toBe('now');
    expect(notes.note({ ...refused, again: true }, clock, well, false)).toBe('later');
    const counted = { answers: 2, refused: 1, failed: 1, failures: 1, failed_urls: 2 };
    expect(notes.collect('s', 0)).toMatchObject(counted);
  });

  test('tells when most of the latest requests were turned away, but not when a page was', () => {
    const notes = new OutcomeNotes(0);
    for (let n = 0; n < 60; n++) notes.note(ok, clock, well, false);
    for (let n = 0; n < 3; n++) notes.note(unavailable, clock, well, false);
    expect(notes.isTurnedAway).toBe(false);
    notes.collect('s', 0);
    for (let n = 0; n < 3; n++) notes.note(unavailable, clock, well, false);
    expect(notes.isTurnedAway).toBe(true);
  });

  test('is about the latest answers, however many there were', () => {
    const notes = new OutcomeNotes(0);
    for (let n = 0; n < 10_000; n++) notes.note(ok, clock, well, false);
    for (let n = 0; n < 10; n++) notes.note(unavailable, clock, well, false);
    const { answers, refused: turnedAway } = notes.collect('s', 0);
    expect(answers).toBeLessThanOrEqual(100);
    expect(turnedAway / answers).toBeGreaterThan(0.05);
  });

  test('tells how much came through in the last second or so', () => {
    const notes = new OutcomeNotes(0);
    for (let second = 0; second < 5; second++) {
      for (let n = 0; n < 40; n++) notes.note(ok, clock, well, false);
      notes.roll(1_000 * (second + 1));
    }
    const first = notes.collect('s', 5_000);
    expect(first.accepted / Math.max(first.span_seconds, 1)).toBeCloseTo(40);
    for (let n = 0; n < 10; n++) notes.note(ok, clock, well, false);
    expect(notes.collect('s', 5_250)).toMatchObject({ accepted: 10, span_seconds: 0.25 });
  });

  test('asks for fewer at a time when the median takes much longer than it used to', () => {
    const notes = new OutcomeNotes(0);
    for (let n = 0; n < 512; n++) expect(notes.note(answer(100), clock, well, false)).toBe('later');
    const noticed = Array.from({ length: 64 }, () => notes.note(answer(3_000), clock, well, false));
    expect(noticed.filter((urgency) => urgency === 'now')).toHaveLength(1);
    expect(notes.collect('s', 0).slower).toBe(1.25);
  });

  test('leaves a source alone that was always slow, is still quick, or has slow pages among others', () => {
    const notes = new OutcomeNotes(0);
    for (let n = 0; n < 100; n++) expect(notes.note(answer(4_000), clock, well, false)).toBe('later');
    const quick = new OutcomeNotes(0);
    for (let n = 0; n < 100; n++) quick.note(answer(5), clock, well, false);
    for (let n = 0; n < 100; n++) expect(quick.note(answer(400), clock, well, false)).toBe('later');
    const mixed = new OutcomeNotes(0);
    for (let n = 0; n < 1_000; n++)
      expect(mixed.note(answer(n % 4 === 0 ? 30_000 : 5), clock, well, false)).toBe('later');
  });
});
