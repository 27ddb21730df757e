/** What a robots.txt says, as it is kept in the database's cache: plain JSON. */
export interface RobotsRules {
  readonly groups: readonly RobotsGroup[];
  /** By agent, in seconds. */
  readonly crawlDelays: readonly (readonly [agent: string, seconds: number])[];
  /** As written: they may be relative to the robots.txt. */
  readonly sitemaps: readonly string[];
  /** Why it could not be had, when it could not: an error code of the contract, and what was special about it. */
  readonly failureCode?: string;
  readonly failure?: string;
}

interface RobotsGroup {
  /** Product tokens in lower case; `*` for everyone without a group of their own. */
  readonly agents: readonly string[];
  /** Path patterns in normal form (robots-path.ts). */
  readonly allow: readonly string[];
  readonly disallow: readonly string[];
}

/** No robots.txt, or one that may be ignored (4xx). */
export const allowAll: RobotsRules = { groups: [], crawlDelays: [], sitemaps: [] };

/** A robots.txt that cannot be had (5xx, unreachable). */
export const disallowAll: RobotsRules = {
  groups: [{ agents: ['*'], allow: [], disallow: ['/'] }],
  crawlDelays: [],
  sitemaps: [],
};
