/** No site may park a source for longer. */
const longest = 24 * 60 * 60;

/**
 * Reads both forms of Retry-After. A date is compared with the answer's own Date where there is one: the site's clock
 * may be wrong, but it is the clock that both were read from.
 */
export function retryAfterSeconds(
  value: string | undefined,
  date: string | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Math.min(Number(value), longest);
  // Date.parse also takes bare numbers and words such as "1.5" for dates; HTTP's begin with a day's name.
  if (!/^\s*[A-Z][a-z]{2}/.test(value)) return undefined;
  const then = Date.parse(value);
  if (Number.isNaN(then)) return undefined;
  const sent = date === undefined ? Number.NaN : Date.parse(date);
  const seconds = Math.ceil((then - (Number.isNaN(sent) ? now : sent)) / 1000);
  return Math.min(Math.max(seconds, 0), longest);
}
