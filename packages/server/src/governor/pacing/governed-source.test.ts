import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { SourceState } from '../sources/source-state.ts';
import { DatabaseLink } from './database-link.ts';
import { GovernedSource } from './governed-source.ts';
import { standardBreaker } from './report-outcomes.ts';
import { refused } from './testing/crawler.ts';

const well: SourceState = {
  source_id: 's',
  concurrency: 8,
  interval_ms: 0,
  tolerance_ms: 100,
  paced_by: 'delay',
  paused_until_ms: 0,
  pause_reason: null,
  failure_streak: 0,
  failed_urls: 0,
  slowdown: 1,
  pace_per_minute: null,
  now_ms: 1_000,
};
const paused: SourceState = {
  ...well,
  paused_until_ms: 300_000,
  pause_reason: 'failures',
  failure_streak: 5,
};

/** A source on a clock that the test moves; the clock of the database shows the same. */
function newSource() {
  const time = { now: 1_000 };
  const query = () => Promise.reject(new Error('nothing is asked here'));
  const link = new DatabaseLink({ query }, pino({ level: 'silent' }), () => time.now);
  link.clock.observe(1_000, 1_000, 1_000);
  const source = new GovernedSource(well, {
    link,
    breaker: standardBreaker,
    probeTtlMs: 60_000,
    onReport: () => {},
  });
  return { source, time };
}

describe('what a worker knows of a source', () => {
  test('is not undone by an answer to an older question', () => {
    const { source } = newSource();
    source.learn(paused, 1_020);
    source.learn(well, 1_010);
    expect(source.refusal(1_030)).toMatchObject({ reason: 'paused' });
    source.learn(well, 1_030);
    expect(source.refusal(1_040)).toBeUndefined();
  });

  test('is not undone by an answer to a question from before its own report was written', () => {
    const { source, time } = newSource();
    time.now = 1_050;
    source.learnWritten(paused);
    source.learn(well, 1_040);
    expect(source.refusal(1_060)).toMatchObject({ reason: 'paused' });
  });

  test('is not undone by anybody while its own report is on its way', () => {
    const { source } = newSource();
    for (let n = 0; n < 5; n++) source.end(refused, undefined, false);
    source.learn(well, 1_100);
    expect(source.refusal(1_100)).toMatchObject({ reason: 'paused' });
  });
});
