/** What the answer to a request for robots.txt means for the origin. */
export type RobotsVerdict = 'parse' | 'allow_all' | 'disallow_all';

/**
 * RFC 9309, 2.3.1: a robots.txt that is not there (4xx) allows everything, one that cannot be had (5xx, no answer)
 * nothing. 429 is no 4xx in this: it says nothing about the file, only that this was not the moment to ask.
 */
export function robotsVerdict(status: number | undefined): RobotsVerdict {
  if (status === undefined || status < 200 || status >= 500 || status === 429) return 'disallow_all';
  return status < 300 ? 'parse' : 'allow_all';
}

/** How long a verdict is kept: a day, as the RFC allows; a refusal for minutes, as it may pass. */
export const robotsCacheSeconds: Readonly<Record<RobotsVerdict, number>> = {
  parse: 86_400,
  allow_all: 86_400,
  disallow_all: 300,
};

/** While robots.txt cannot be had, the last rules that were read hold for so long (RFC 9309, 2.3.1.4). */
export const robotsCopyDays = 30;
