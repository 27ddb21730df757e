/** The most requests that started within any window of so many milliseconds. */
export function mostWithin(starts: readonly number[], windowMs: number): number {
  const sorted = starts.toSorted((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [index, start] of sorted.entries()) {
    while (start - (sorted[from] ?? 0) >= windowMs) from++;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

/** How much of a limit per minute was used between the first and the last request. */
export function shareOfLimit(starts: readonly number[], limitPerMinute: number): number {
  const ms = Math.max(...starts) - Math.min(...starts);
  return (starts.length - 1) / ((ms / 60_000) * limitPerMinute);
}

/**
 * How much of a limit was used in the best window of so many milliseconds, so that pauses of the machine do not count.
 */
export function bestShare(starts: readonly number[], limitPerMinute: number, windowMs: number): number {
  return mostWithin(starts, windowMs) / ((limitPerMinute * windowMs) / 60_000);
}
