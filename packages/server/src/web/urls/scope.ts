import { HoldfastError } from '@holdfast/contract';
import { getDomain } from 'tldts';
import { canonicalUrl, hostOf } from './canonical-url.ts';
import { compilePatterns } from './compile-pattern.ts';

const scopeKinds = ['host', 'subdomains', 'any'] as const;
type ScopeKind = (typeof scopeKinds)[number];

export interface ScopeOptions {
  readonly seed: string;
  /** Default `host`: the seed's host, over http and https. */
  readonly scope?: ScopeKind;
  /** Patterns (see compile-pattern.ts) of which a URL must match at least one, if there are any. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** `/docs` admits `/docs` and everything below it, but not `/docsets`. */
  readonly pathPrefix?: string;
  /** The seed has depth 0. */
  readonly maxDepth?: number;
}

/** Why a URL is out of scope; links are counted by reason. */
const offScopeReasons = ['off_host', 'outside_prefix', 'excluded', 'not_included', 'too_deep'] as const;
type OffScopeReason = (typeof offScopeReasons)[number];

export interface Scope {
  /** For a canonical URL and its depth. Only `exclude` applies to the seed itself. */
  verdict(url: string, depth: number): 'in' | OffScopeReason;
  /** Admits another host as if it were the seed's. */
  admitHost(host: string): void;
  /** Admits the target of the seed's redirect, and its host (example.com → www.example.com/en/). */
  admitSeed(url: string): void;
}

export function createScope(options: ScopeOptions): Scope {
  if (canonicalUrl(options.seed) === null)
    throw new HoldfastError('bad_request', `the seed ${options.seed} is not an http or https URL`);
  const { scope = 'host', maxDepth = Number.POSITIVE_INFINITY } = options;
  const included = options.include?.length ? compilePatterns(options.include, 'include') : () => true;
  const excluded = compilePatterns(options.exclude ?? [], 'exclude');
  const isBelowPrefix = prefixTest(options.pathPrefix);
  const hosts = new Set<string>();
  const domains: string[] = [];
  const seeds = new Set<string>();

  const isHostIn = (host: string): boolean =>
    scope === 'any' || hosts.has(host) || domains.some((domain) => host.endsWith(domain));

  const admitHost = (host: string): void => {
    hosts.add(host);
    const domain = scope === 'subdomains' ? registrableDomain(host) : null;
    if (domain === null) return;
    hosts.add(domain);
    domains.push(`.${domain}`);
  };

  const admitSeed = (url: string): void => {
    const canonical = canonicalUrl(url);
    if (canonical === null) return;
    admitHost(hostOf(canonical));
    seeds.add(canonical);
    // A seed is fetched as it was given.
    seeds.add(canonicalUrl(url, undefined, { keepTracking: true, keepSessions: true }) ?? canonical);
  };

  const verdict = (url: string, depth: number): 'in' | OffScopeReason => {
    if (!isHostIn(hostOf(url))) return 'off_host';
    const isSeed = seeds.has(url);
    if (!isSeed && !isBelowPrefix(url)) return 'outside_prefix';
    if (depth > maxDepth) return 'too_deep';
    if (excluded(url)) return 'excluded';
    return isSeed || included(url) ? 'in' : 'not_included';
  };

  admitSeed(options.seed);
  return { verdict, admitHost, admitSeed };
}

/**
 * The domain whose subdomains are admitted: example.com for www.example.com, with the port if there is one. Private suffixes
 * count, so that one github.io site does not admit all others. IP addresses and bare names have no domain.
 */
function registrableDomain(host: string): string | null {
  const [name = '', port] = host.startsWith('[') ? [host] : host.split(':');
  const domain = getDomain(name, { allowPrivateDomains: true });
  return domain === null || port === undefined ? domain : `${domain}:${port}`;
}

function prefixTest(pathPrefix: string | undefined): (url: string) => boolean {
  if (!pathPrefix || pathPrefix === '/') return () => true;
  const folder = canonicalUrl(pathPrefix.replace(/^\/*/, '/'), 'http://host/')?.slice('http://host'.length);
  if (folder === undefined) throw new HoldfastError('bad_request', `${pathPrefix} is not a path prefix`);
  const bare = folder.replace(/\/+$/, '');
  return (url) => {
    const start = url.indexOf('/', url.indexOf('//') + 2);
    if (!url.startsWith(bare, start)) return false;
    const next = url[start + bare.length];
    return next === undefined || next === '/' || next === '?';
  };
}
