const firstMs = 250;
const longestMs = 15_000;

/** How long to wait after so many failures: doubling, and spread, so that those who failed together do not return together. */
export function backoff(failures: number, first = firstMs, longest = longestMs): number {
  return Math.min(longest, first * 2 ** failures) * (0.5 + Math.random() / 2);
}
