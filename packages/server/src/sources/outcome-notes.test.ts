import { describe, expect, test } from 'vitest';
import { OutcomeNotes } from './outcome-notes.ts';
import { ok, refused, tooMany } from './testing/crawler.ts';

const clock = () => 0;
const answer = (latencyMs: number) => ({ kind: 'ok', status: 200, latencyMs }) as const;

describe('what was noted of a source', () => {
  test('is not worth a report while all goes well, except now and then', () => {
    const notes = new OutcomeNotes();
    expect(notes.note(ok, clock, 0)).toBe(false);
    expect(notes.isDue(0)).toBe(true);
    notes.collect('s', 0);
    notes.note(ok, clock, 0);
    expect(notes.isDue(29_000)).toBe(false);
    expect(notes.isDue(30_000)).toBe(true);
  });

  test('is reported at once when it fails, and when it is well again', () => {
    const notes = new OutcomeNotes();
    expect(notes.note(refused, clock, 0)).toBe(true);
    expect(notes.note(ok, clock, 0)).toBe(true);
    expect(notes.collect('s', 0)).toMatchObject({ succeeded: true, failures: 0 });
    expect(notes.note(ok, clock, 3)).toBe(true);
  });

  test('is not lost when it could not be written', () => {
    const notes = new OutcomeNotes();
    notes.note(tooMany(7), clock, 0);
    const report = notes.collect('s', 0);
    notes.note(refused, clock, 0);
    notes.restore(report);
    expect(notes.collect('s', 0)).toMatchObject({ failures: 2, slower: 2, retryAfterMs: 7_000 });
    notes.note(ok, clock, 0);
    notes.restore(report);
    expect(notes.collect('s', 0)).toMatchObject({ succeeded: true, failures: 0 });
  });

  test('takes a Retry-After of a year for a day', () => {
    const notes = new OutcomeNotes();
    notes.note(tooMany(31_536_000), clock, 0);
    expect(notes.retryAfterMs).toBe(86_400_000);
  });

  test('says to go slower when answers take much longer than they used to', () => {
    const notes = new OutcomeNotes();
    for (let n = 0; n < 500; n++) expect(notes.note(answer(100), clock, 0)).toBe(false);
    const noticed = Array.from({ length: 16 }, () => notes.note(answer(3_000), clock, 0));
    expect(noticed.filter(Boolean)).toHaveLength(1);
    expect(notes.collect('s', 0).slower).toBe(1.5);
  });

  test('leaves a source alone that was always slow, or is three times as slow and still quick', () => {
    const notes = new OutcomeNotes();
    for (let n = 0; n < 100; n++) expect(notes.note(answer(4_000), clock, 0)).toBe(false);
    const quick = new OutcomeNotes();
    for (let n = 0; n < 100; n++) quick.note(answer(5), clock, 0);
    for (let n = 0; n < 100; n++) expect(quick.note(answer(400), clock, 0)).toBe(false);
  });
});
