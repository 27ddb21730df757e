import type { CrawlOptions } from '@holdfast/contract';
import { getDomain } from 'tldts';
import type { ShardBy, ShardPlan } from '../../queue/shards/open-shards.ts';
import { fingerprint } from '../../web/urls/hashes.ts';
import type { FoundUrl } from './frontier-entry.ts';

/** A number from 0 to shards - 1, from the first 32 bits of a hash. */
const part = (hash: number, shards: number) => (hash >>> 0) % shards;

/** SQL: the same for a column with the hash of a URL. */
export const shardOfHash = (hash: string, shards: string) =>
  `((('x' || left(${hash}::text, 8))::bit(32)::bigint & 4294967295) % ${shards})::smallint`;

/** The shard of each URL of a crawl: all of a domain's in one, or those of a single site by their hashes. */
export function shardOfUrl({ shards, by }: ShardPlan): (url: Pick<FoundUrl, 'host' | 'url_hash'>) => number {
  if (by === 'url') return ({ url_hash }) => part(Number.parseInt(url_hash.slice(0, 8), 16), shards);
  return ({ host }) => part(fingerprint(domainOf(host)), shards);
}

function domainOf(host: string): string {
  const name = host.replace(/:\d+$/, '');
  return getDomain(name) ?? name;
}

/**
 * How a crawl is divided. A single site is divided by URL, because the governor keeps its limits across runners anyway. What a runner
 * counts per host by itself (max_pages_per_host, delay_ms) keeps a host in one shard.
 */
export function planShards(options: CrawlOptions): ShardPlan {
  const { shards = 1, scope, urls = [], url, max_pages, max_pages_per_host, delay_ms } = options;
  const domains = new Set([url, ...urls].map((seed) => domainOf(new URL(seed).host)));
  const by: ShardBy = scope === 'any' || domains.size > 1 ? 'domain' : 'url';
  const isWhole = by === 'url' && (max_pages_per_host !== undefined || delay_ms > 0);
  return { by, shards: isWhole ? 1 : Math.min(shards, max_pages ?? shards) };
}
