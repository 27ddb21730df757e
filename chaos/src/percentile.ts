/** The value below which so large a share of them lies; 0 when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The same of times in milliseconds, of which nobody wants fractions. */
export function percentileMs(times: readonly number[], share: number): number {
  return Math.round(percentile(times, share));
}
