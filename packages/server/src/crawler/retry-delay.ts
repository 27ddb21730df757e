const baseMs = 1_000;
const maxMs = 10 * 60_000;

/** 2 s, 8 s, 32 s … and at least what the site asked for; a little more, so that many do not come back together. */
export function retryDelayMs(attempts: number, retryAfterSeconds = 0): number {
  const backoff = Math.min((baseMs * 4 ** attempts) / 2, maxMs);
  return Math.max(backoff, retryAfterSeconds * 1000) * (1 + 0.1 * Math.random());
}

/** 0.5 s, 1 s, 2 s …: for where a crawl begins. */
export function seedDelayMs(attempts: number): number {
  return Math.min(250 * 2 ** attempts, maxMs);
}
