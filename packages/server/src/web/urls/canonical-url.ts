import { canonicalQuery, type QueryOptions } from './canonical-query.ts';
import { normalisePercent } from './percent-encoding.ts';
import { type PlainLink, plainLink } from './plain-link.ts';
import { resolveLink } from './resolve-link.ts';
import { currentUrlRules, urlRules } from './url-rules.ts';

export interface CanonicalOptions extends QueryOptions {
  readonly maxLength?: number;
}

/** What servers, proxies and the sitemap protocol accept; also the limit of a policy's URL. */
export const maxUrlLength = 2048;
const noOptions: CanonicalOptions = {};

/**
 * The form under which a URL is known to a crawl, or null for what is no absolute http(s) URL or is too long. Two forms
 * become one only where servers answer them alike: user info, fragment, default port, dot segments, needless
 * percent-encoding, tracking parameters and session ids go; order of parameters and slashes stay. Seeds keep their
 * parameters (`keepTracking`, `keepSessions`): whoever names a URL means it.
 */
export function canonicalUrl(
  href: string,
  base?: string,
  options: CanonicalOptions = noOptions,
): string | null {
  const maxLength = options.maxLength ?? maxUrlLength;
  // What goes may make a URL short enough, but nobody pays for parsing a megabyte.
  if (href.length > 4 * maxLength) return null;
  const plain = base === undefined ? null : plainLink(href, base);
  const url = plain === null ? splitUrl(resolveLink(href, base), options) : canonicalPlain(plain, options);
  if (url === null) return null;
  const query = url.query === '' ? '' : canonicalQuery(url.query, options);
  const result = query === '' ? url.document : `${url.document}?${query}`;
  return result.length > maxLength ? null : result;
}

/** A canonical URL up to its query, and the query with only its percent-encoding in canonical form. */
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

/** Serialised origins have lower-case hosts and no default port; user info and the root's dot are left to drop. */
function canonicalOrigin(origin: string, scheme: number): string | null {
  const at = origin.lastIndexOf('@');
  const clean = at === -1 ? origin : origin.slice(0, scheme) + origin.slice(at + 1);
  if (!clean.endsWith('.') && !clean.includes('.:')) return clean;
  const undotted = clean.replace(/\.(?=$|:\d+$)/, '');
  return undotted.length === scheme || /[./](?=$|:\d+$)/.test(undotted) ? null : undotted;
}

function canonicalPath(path: string, { keepSessions, rules }: CanonicalOptions): string {
  // Node's parser encodes ^ from version 22 on: one crawl may be resumed on another version.
  const normal = normalisePercent(path.includes('^') ? path.replaceAll('^', '%5E') : path);
  return keepSessions ? normal : (rules ?? urlRules[currentUrlRules]).withoutPathSession(normal);
}
