import type { preferenceKinds } from '@holdfast/contract';

/** A parsed robots.txt, as plain JSON for the database's cache. */
export interface RobotsRules {
  readonly groups: readonly RobotsGroup[];
  /** By agent, in seconds. */
  readonly crawlDelays: readonly (readonly [agent: string, seconds: number])[];
  /** As written, possibly relative to the robots.txt. */
  readonly sitemaps: readonly string[];
  /** Only where there are any. */
  readonly preferences?: readonly ContentPreference[];
  /** Why it was unreachable, if it was: an error code of the contract, and its detail. */
  readonly failureCode?: string;
  readonly failure?: string;
}

/** What a robots.txt says about the use of content, as written. A licence holds for the whole site. */
export interface ContentPreference {
  readonly kind: (typeof preferenceKinds)[number];
  /** Product tokens in lower case, or `*`; empty for a licence. */
  readonly agents: readonly string[];
  /** The path it holds for, if it names one. */
  readonly path?: string;
  readonly value: string;
}

interface RobotsGroup {
  /** Product tokens in lower case; `*` for everyone without a group of their own. */
  readonly agents: readonly string[];
  /** Normalised path patterns (robots-matcher.ts). */
  readonly allow: readonly string[];
  readonly disallow: readonly string[];
}

/** No robots.txt, or one that may be ignored (4xx). */
export const allowAll: RobotsRules = { groups: [], crawlDelays: [], sitemaps: [] };

/** An unreachable robots.txt (5xx, no answer). */
export const disallowAll: RobotsRules = {
  groups: [{ agents: ['*'], allow: [], disallow: ['/'] }],
  crawlDelays: [],
  sitemaps: [],
};

/** What the response to a request for robots.txt means for the origin. */
export type RobotsVerdict = 'parse' | 'allow_all' | 'disallow_all';

/**
 * RFC 9309, 2.3.1: a missing robots.txt (4xx) allows everything, an unreachable one (5xx, no answer) nothing. 429 counts as
 * unreachable: it says nothing about the file.
 */
export function robotsVerdict(status: number | undefined): RobotsVerdict {
  if (status === undefined || status < 200 || status >= 500 || status === 429) return 'disallow_all';
  return status < 300 ? 'parse' : 'allow_all';
}

/** How long a verdict is cached: a day, as the RFC allows; a failure for minutes, because it may be temporary. */
export const robotsCacheSeconds: Readonly<Record<RobotsVerdict, number>> = {
  parse: 86_400,
  allow_all: 86_400,
  disallow_all: 300,
};

/** How long the last rules stay in force while robots.txt is unreachable (RFC 9309, 2.3.1.4). */
export const robotsCopyDays = 30;

/** The part of a user agent that robots.txt files refer to: `Holdfast` of `Holdfast/1.0 (+https://…)` (RFC 9309, 2.2.1). */
export function productToken(userAgent: string): string {
  return /^[a-z_-]*/i.exec(userAgent)?.[0] ?? '';
}

/** The name that robots.txt knows a crawl by. */
export function robotsAgent(
  {
    robots_token,
    user_agent,
  }: { readonly robots_token?: string | undefined; readonly user_agent?: string | undefined },
  userAgent: string,
): string {
  return robots_token ?? productToken(user_agent ?? userAgent);
}
