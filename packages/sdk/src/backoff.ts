const firstMs = 250;
const longestMs = 15_000;

/** Exponential backoff with jitter, so that clients that failed together do not retry together. */
export function backoff(failures: number, first = firstMs, longest = longestMs): number {
  return Math.min(longest, first * 2 ** failures) * (0.5 + Math.random() / 2);
}
