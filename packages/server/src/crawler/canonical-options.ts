import type { CrawlOptions } from '@holdfast/contract';
import type { CanonicalOptions } from '../urls/canonical-url.ts';

/** How this crawl tells one URL from another. */
export function canonicalOptions({
  sort_query,
  keep_tracking,
}: Pick<CrawlOptions, 'sort_query' | 'keep_tracking'>): CanonicalOptions {
  return { sortQuery: sort_query, keepTracking: keep_tracking };
}
