import { type BaseParts, baseParts } from './base-parts.ts';

// Classes of characters, by code. What is in none of them needs the full parser.
const inPath = 1;
const inQuery = 2;
/** Leaves nothing to canonicalise: no percent-encoding, no `;` or `(` that a session id could begin with. */
const bare = 4;
const classes = new Uint8Array(128);
for (const char of '-._~!$&)*+,=:@/') classes[char.charCodeAt(0)] = inPath | inQuery | bare;
for (let code = 0x30; code <= 0x39; code++) classes[code] = inPath | inQuery | bare;
for (let code = 0x61; code <= 0x7a; code++) classes[code] = classes[code - 0x20] = inPath | inQuery | bare;
for (const char of '%;(') classes[char.charCodeAt(0)] = inPath | inQuery;
classes[0x27] = inPath | bare; // the URL parser encodes ' in a query
classes[0x3f] = inQuery | bare;

const [hash, percent, dot, slash, colon, question] = [0x23, 0x25, 0x2e, 0x2f, 0x3a, 0x3f];
const hostAndSlash = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}\//;

export interface PlainLink {
  /** Up to its query. */
  readonly document: string;
  /** Without `?`. */
  readonly query: string;
  /** Nothing in it is left to canonicalise, but for parameters to drop. */
  readonly isBare: boolean;
}

/**
 * What `new URL(href, base).href` would give, less the fragment, for the hrefs that most links are made of; null for
 * any other, which then needs the parser. Every link of a page comes through here, and this measured a fifth of the
 * parser's time.
 */
export function plainLink(href: string, base: string): PlainLink | null {
  const parts = baseParts(base);
  if (parts === null) return null;
  const first = href.charCodeAt(0);
  if (first === slash) return href.charCodeAt(1) === slash ? null : behind(parts.origin, href, 0);
  if (href.startsWith(parts.origin) && href.charCodeAt(parts.origin.length) === slash)
    return behind(parts.origin, href, parts.origin.length);
  if (first === 0x68 && href.startsWith('http')) {
    const match = hostAndSlash.exec(href)?.[0];
    if (match?.includes('xn--') === false) return behind(match.slice(0, -1), href, match.length - 1);
    return null;
  }
  if (first === question) return behind(parts.document, href, 0, parts.isBare);
  if (first === dot) return fromParent(parts, href);
  if (first === hash || first === percent || !isPathStart(href)) return null;
  return behind(parts.folder, href, 0, parts.isBare);
}

/** `./x`, `../x`, `../../../x`: what sites built from folders link by. */
function fromParent({ origin, folder, isBare }: BaseParts, href: string): PlainLink | null {
  let start = href.startsWith('./') ? 2 : 0;
  let from = folder;
  for (; href.startsWith('../../', start); start += 3)
    if (from.length > origin.length + 1) from = from.slice(0, from.lastIndexOf('/', from.length - 2) + 1);
  const next = href.charCodeAt(start);
  // An empty segment (`..//x`) and any further dot are the parser's.
  if (start === 0 || next === dot || next === percent || next === slash) return null;
  return behind(from, href, start, isBare);
}

/** A relative path that cannot be taken for a scheme: no colon before its first slash. */
function isPathStart(href: string): boolean {
  for (let i = 0; i < href.length; i++) {
    const code = href.charCodeAt(i);
    if (code === slash || code === question) return i > 0;
    if (code === colon) return false;
  }
  return href.length > 0;
}

/** `prefix` and the part of `href` from `start` on, if all of it would pass the parser unchanged. */
function behind(prefix: string, href: string, start: number, isPrefixBare = true): PlainLink | null {
  let allowed = inPath;
  let common = isPrefixBare ? bare : 0;
  let previous = 0;
  let pathEnd = -1;
  let i = start;
  for (; i < href.length; i++) {
    const code = href.charCodeAt(i);
    if (code === hash) break;
    if (code > 0x7f) return null;
    const kinds = classes[code] as number;
    if ((kinds & allowed) === 0) {
      if (code !== question) return null;
      allowed = inQuery;
      pathEnd = i;
    }
    // A segment that starts with a dot may be a dot segment, also in its encoded form.
    else if (previous === slash && (code === dot || code === percent) && allowed === inPath) return null;
    common &= kinds;
    previous = code;
  }
  return {
    document: prefix + href.slice(start, pathEnd === -1 ? i : pathEnd),
    query: pathEnd === -1 ? '' : href.slice(pathEnd + 1, i),
    isBare: common !== 0,
  };
}
