import { median, round, type Spread, spread } from '../statistics.ts';
import type { Figure } from './laps.ts';

/** Medians that differ by less are within noise. */
const noise = 0.05;

export interface Comparison {
  readonly name: string;
  readonly old: Spread;
  readonly new: Spread;
  /** Of the median, as a share of the old one; above 0 is better. */
  readonly gain: number;
  /** The median of the gains within each repeat: a machine that slows down meanwhile disturbs it less. */
  readonly gainInPairs: number;
  /** Not worse by more than noise; undefined: not judged. */
  readonly holds: boolean | undefined;
}

/** Each argument has the figures of one lap after the other, in the same order. */
export function compareLaps(
  oldLaps: readonly (readonly Figure[])[],
  newLaps: readonly (readonly Figure[])[],
): Comparison[] {
  return (newLaps[0] ?? []).map(({ name, better, aside = false }) => {
    const valuesOf = (laps: readonly (readonly Figure[])[]) =>
      laps.map((lap) => lap.find((figure) => figure.name === name)?.value ?? Number.NaN);
    const [before, after] = [valuesOf(oldLaps), valuesOf(newLaps)];
    const gainOf = (from: number, to: number) => (better === 'more' ? to / from - 1 : 1 - to / from);
    const gain = gainOf(median(before), median(after));
    return {
      name,
      old: spread(before, 0),
      new: spread(after, 0),
      gain: round(gain, 3),
      gainInPairs: round(
        median(after.map((value, repeat) => gainOf(before[repeat] ?? Number.NaN, value))),
        3,
      ),
      holds: aside ? undefined : gain > -noise,
    };
  });
}
