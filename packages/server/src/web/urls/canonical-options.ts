import type { CrawlOptions } from '@holdfast/contract';
import type { CanonicalOptions } from './canonical-url.ts';
import { currentUrlRules, type UrlRules, type UrlRulesVersion, urlRules } from './url-rules.ts';

export type CanonicalForm = CanonicalOptions & { readonly rules: UrlRules };

/** How this crawl tells one URL from another. */
export function canonicalOptions(
  {
    sort_query,
    keep_tracking,
    keep_sessions,
  }: Pick<CrawlOptions, 'sort_query' | 'keep_tracking' | 'keep_sessions'>,
  rules: UrlRulesVersion = currentUrlRules,
): CanonicalForm {
  return {
    sortQuery: sort_query,
    keepTracking: keep_tracking,
    keepSessions: keep_sessions,
    rules: urlRules[rules],
  };
}

/** For what is to be fetched as it was given: seeds, batches, and redirects that lead nowhere else. */
export function asGiven(options: CanonicalOptions): CanonicalOptions {
  return { ...options, keepTracking: true, keepSessions: true };
}
