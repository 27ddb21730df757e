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
}

/**
 * The rule of "no growth": the first half of the time is for warming up. In the second, the trend is the median of the slopes
 * between all pairs of points (Theil and Sen), which a few wild values, such as those of a restart, do not bend.
 */
export function judgeGrowth(points: readonly Point[], { percent, least }: Bound): Growth {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const middle = (first + last) / 2;
  const half = points.filter(({ at }) => at >= middle);
  const slopes: number[] = [];
  for (const [index, one] of half.entries())
    for (const other of half.slice(index + 1))
      if (other.at > one.at) slopes.push((other.value - one.value) / (other.at - one.at));
  const usual = median(half.map(({ value }) => value));
  const added = median(slopes) * (last - middle);
  const share = usual === 0 ? 0 : (100 * added) / usual;
  return { usual, added, percent: share, grows: added > least && share > percent };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
