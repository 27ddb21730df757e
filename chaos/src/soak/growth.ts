import { percentile } from '../percentile.ts';

export interface Point {
  /** In minutes since the beginning. */
  readonly at: number;
  readonly value: number;
}

/** What counts as growth: more than so many percent of what there usually is, and more than the least amount. */
export interface Bound {
  readonly percent: number;
  /** In the unit of the series: less than this is noise, however small the series. */
  readonly least: number;
}

export interface Growth {
  /** The middle value of the second half. */
  readonly usual: number;
  /** What the trend of the second half added from its beginning to its end. */
  readonly added: number;
  readonly percent: number;
  readonly grows: boolean;
  /** Too little was measured to say that it does not grow. */
  readonly isUnknown: boolean;
}

/** In minutes since the beginning. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** With fewer points than this, there is no trend to speak of. */
const leastPoints = 10;

/**
 * The rule of "no growth": the first half of the time is for warming up. In the second, the trend is the median of the slopes
 * between all pairs of points (Theil and Sen), which a few wild values, such as those of a restart, do not bend.
 */
export function judgeGrowth(points: readonly Point[], { percent, least }: Bound, { from, to }: Span): Growth {
  const middle = (from + to) / 2;
  const half = points.filter(({ at }) => at >= middle);
  const slopes: number[] = [];
  for (const [index, one] of half.entries())
    for (const other of half.slice(index + 1))
      if (other.at > one.at) slopes.push((other.value - one.value) / (other.at - one.at));
  const usual = median(half.map(({ value }) => value));
  const added = median(slopes) * (to - middle);
  const share = usual === 0 ? 0 : (100 * added) / usual;
  const grows = added > least && share > percent;
  return { usual, added, percent: share, grows, isUnknown: half.length < leastPoints };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
