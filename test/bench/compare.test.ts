import { describe, expect, it } from 'vitest';
import type { Figure } from '../../bench/src/compare/laps.ts';
import { compareLaps } from '../../bench/src/compare/verdict.ts';

const rates = (...values: number[]): Figure[][] =>
  values.map((value) => [{ name: 'pages/s', value, better: 'more' }]);
const times = (...values: number[]): Figure[][] =>
  values.map((value) => [{ name: 'µs/page', value, better: 'less' }]);

describe('the verdict on an old and a new commit', () => {
  it('takes a median that is worse by less than 5 % for noise', () => {
    const [rate] = compareLaps(rates(90, 100, 300), rates(96, 20, 200));
    expect(rate).toMatchObject({ old: { median: 100 }, new: { median: 96 }, gain: -0.04, holds: true });
    expect(compareLaps(rates(100), rates(95))).toMatchObject([{ gain: -0.05, holds: false }]);
    expect(compareLaps(rates(100), rates(200))).toMatchObject([{ gain: 1, holds: true }]);
  });

  it('knows of which figures less is better', () => {
    expect(compareLaps(times(100), times(110))).toMatchObject([{ gain: -0.1, holds: false }]);
    expect(compareLaps(times(100), times(50))).toMatchObject([{ gain: 0.5, holds: true }]);
  });

  it('shows the gain within pairs, which a machine that slows down does not disturb', () => {
    expect(compareLaps(rates(100, 50, 25), rates(110, 55, 27.5))).toMatchObject([{ gainInPairs: 0.1 }]);
  });

  it('judges by no figure that is shown aside', () => {
    const aside = (value: number): Figure[][] => [[{ name: 'MB', value, better: 'less', aside: true }]];
    expect(compareLaps(aside(100), aside(900))).toMatchObject([{ gain: -8, holds: undefined }]);
  });
});
