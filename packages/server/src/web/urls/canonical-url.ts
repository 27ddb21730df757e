import type { CrawlOptions } from '@holdfast/contract';
import { normalisePercent } from './percent-encoding.ts';
import { type PlainLink, plainLink, resolveLink } from './plain-link.ts';
import { currentUrlRules, type UrlRules, type UrlRulesVersion, urlRules } from './url-rules.ts';

export interface CanonicalOptions {
  readonly keepTracking?: boolean;
  readonly keepSessions?: boolean;
  /** Links that differ only in their query lead to one page. */
  readonly ignoreQuery?: boolean;
  /** Off by default: a few servers answer by the order. */
  readonly sortQuery?: boolean;
  /** Default: the current rules. */
  readonly rules?: UrlRules;
  readonly maxLength?: number;
}

/** The length that servers, proxies and the sitemap protocol accept; also the limit of a policy's URL. */
export const maxUrlLength = 2048;

const noOptions: CanonicalOptions = {};

/**
 * The form by which a crawl identifies a URL; null if it is not an absolute http(s) URL or is too long. Only differences that
 * servers ignore are removed: user info, fragment, default port, dot segments, needless percent-encoding, tracking parameters
 * and session ids. The order of parameters and slashes stay. Seeds keep their parameters (`keepTracking`, `keepSessions`),
 * because they were given on purpose.
 */
export function canonicalUrl(
  href: string,
  base?: string,
  options: CanonicalOptions = noOptions,
): string | null {
  const maxLength = options.maxLength ?? maxUrlLength;
  // Canonicalisation may shorten a URL enough, but there is no point in parsing a megabyte.
  if (href.length > 4 * maxLength) return null;
  const plain = base === undefined ? null : plainLink(href, base);
  const url = plain === null ? splitUrl(resolveLink(href, base), options) : canonicalPlain(plain, options);
  if (url === null) return null;
  const query = url.query === '' || options.ignoreQuery ? '' : canonicalQuery(url.query, options);
  const result = query === '' ? url.document : `${url.document}?${query}`;
  return result.length > maxLength ? null : result;
}

/** A canonical URL up to its query, and the query, of which only the percent-encoding is normalised. */
interface Halves {
  readonly document: string;
  readonly query: string;
}

function canonicalPlain(plain: PlainLink, options: CanonicalOptions): Halves {
  if (plain.isBare) return plain;
  const { document, query } = plain;
  const pathStart = document.indexOf('/', 8);
  const path = canonicalPath(document.slice(pathStart), options);
  return { document: document.slice(0, pathStart) + path, query: normalisePercent(query) };
}

function splitUrl(url: string | null, options: CanonicalOptions): Halves | null {
  const scheme = url?.startsWith('https://') ? 8 : url?.startsWith('http://') ? 7 : 0;
  if (url === null || scheme === 0) return null;
  const pathStart = url.indexOf('/', scheme);
  const origin = canonicalOrigin(url.slice(0, pathStart), scheme);
  if (origin === null) return null;
  const fragment = url.indexOf('#', pathStart);
  const end = fragment === -1 ? url.length : fragment;
  let pathEnd = url.indexOf('?', pathStart);
  if (pathEnd === -1 || pathEnd > end) pathEnd = end;
  return {
    document: origin + canonicalPath(url.slice(pathStart, pathEnd), options),
    query: normalisePercent(url.slice(pathEnd + 1, end)),
  };
}

/** Removes user info and the trailing dot of the host. The parser has already removed upper case and the default port. */
function canonicalOrigin(origin: string, scheme: number): string | null {
  const at = origin.lastIndexOf('@');
  const clean = at === -1 ? origin : origin.slice(0, scheme) + origin.slice(at + 1);
  if (!clean.endsWith('.') && !clean.includes('.:')) return clean;
  const undotted = clean.replace(/\.(?=$|:\d+$)/, '');
  return undotted.length === scheme || /[./](?=$|:\d+$)/.test(undotted) ? null : undotted;
}

function canonicalPath(path: string, { keepSessions, rules }: CanonicalOptions): string {
  // Node encodes ^ since version 22, and a crawl may be resumed on another version.
  const normal = normalisePercent(path.includes('^') ? path.replaceAll('^', '%5E') : path);
  return keepSessions ? normal : (rules ?? urlRules[currentUrlRules]).withoutPathSession(normal);
}

/** Removes the parameters that do not select the page from a normalised query (without `?`). */
function canonicalQuery(query: string, options: CanonicalOptions): string {
  let kept = '';
  let copied = 0;
  for (let start = 0; start <= query.length; ) {
    const found = query.indexOf('&', start);
    const end = found === -1 ? query.length : found;
    if (!isKept(query, start, end, options)) {
      kept += query.slice(copied, start);
      copied = end + 1;
    }
    start = end + 1;
  }
  if (copied > 0) kept += query.slice(copied);
  else kept = query;
  if (kept.endsWith('&')) kept = kept.slice(0, -1);
  return options.sortQuery ? kept.split('&').sort(byName).join('&') : kept;
}

function isKept(query: string, start: number, end: number, options: CanonicalOptions): boolean {
  if (start === end) return false;
  const equals = query.indexOf('=', start);
  const nameEnd = equals === -1 || equals > end ? end : equals;
  const name = query.slice(start, nameEnd);
  const rules = options.rules ?? urlRules[currentUrlRules];
  const kind = parameterKind(name, rules);
  if (kind === 'content') return true;
  if (kind === 'tracking') return options.keepTracking === true;
  return options.keepSessions || !rules.isSession(name.toLowerCase(), query.slice(nameEnd + 1, end));
}

type ParameterKind = 'tracking' | 'maybe_session' | 'content';

/** Links repeat a few parameter names, so looking one up is faster than classifying it again. */
const knownByRules = new WeakMap<UrlRules, Map<string, ParameterKind>>();
const knownLimit = 1_000;

function parameterKind(name: string, rules: UrlRules): ParameterKind {
  let known = knownByRules.get(rules);
  if (known === undefined) {
    known = new Map();
    knownByRules.set(rules, known);
  }
  const kind = known.get(name);
  if (kind !== undefined) return kind;
  const lower = name.toLowerCase();
  const found = rules.isTracking(lower)
    ? 'tracking'
    : rules.mayBeSession(lower)
      ? 'maybe_session'
      : 'content';
  if (known.size >= knownLimit) known.clear();
  if (name.length <= 64) known.set(name, found);
  return found;
}

const nameOf = (piece: string): string => piece.split('=', 1)[0] as string;

/** By name only. The sort is stable, so that values of one name keep their order. */
function byName(a: string, b: string): number {
  const left = nameOf(a);
  const right = nameOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export type CanonicalForm = CanonicalOptions & { readonly rules: UrlRules };

/** The canonical form of URLs in a crawl with these options. */
export function canonicalOptions(
  {
    sort_query,
    keep_tracking,
    keep_sessions,
    ignore_query,
  }: Pick<CrawlOptions, 'sort_query' | 'keep_tracking' | 'keep_sessions'> & {
    readonly ignore_query?: boolean | undefined;
  },
  rules: UrlRulesVersion = currentUrlRules,
): CanonicalForm {
  return {
    sortQuery: sort_query,
    keepTracking: keep_tracking,
    keepSessions: keep_sessions,
    ...(ignore_query && { ignoreQuery: true }),
    rules: urlRules[rules],
  };
}

/** For URLs that are fetched as given: seeds, batches, and redirects that only change a parameter. */
export function asGiven(options: CanonicalOptions): CanonicalOptions {
  return { ...options, keepTracking: true, keepSessions: true, ignoreQuery: false };
}

/** The host of a canonical URL, with its port unless it is the default: `example.com`, `127.0.0.1:8080`. */
export function hostOf(canonical: string): string {
  const start = canonical.indexOf('://') + 3;
  const end = canonical.indexOf('/', start);
  return end === -1 ? canonical.slice(start) : canonical.slice(start, end);
}
