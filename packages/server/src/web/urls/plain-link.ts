/**
 * Resolves an href as a browser does, whatever its scheme; null if it is invalid. As HTML requires, the parser of the URL Standard
 * drops surrounding white space and line breaks.
 */
export function resolveLink(href: string, base?: string): string | null {
  return parseHref(href, base)?.href ?? null;
}

function parseHref(href: string, base?: string): URL | null {
  if (parse) return parse.call(URL, href, base);
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

/** Missing in the oldest supported Node. It saves an exception for each invalid href. */
const parse = (URL as unknown as { parse?: (url: string, base?: string) => URL | null }).parse;

export interface PlainLink {
  /** Up to the query. */
  readonly document: string;
  /** Without `?`. */
  readonly query: string;
  /** Nothing is left to canonicalise, except for parameters. */
  readonly isBare: boolean;
}

// Classes of characters, by code. An href with any other character needs the full parser.
const inPath = 1;
const inQuery = 2;

/** Needs no canonicalisation: no percent-encoding, and no `;` or `(` that may start a session id. */
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

/**
 * Returns `new URL(href, base).href` without the fragment for the forms that most links have; null for any other, which needs the
 * parser. Every link of a page passes through here, and this takes a fifth of the parser's time.
 */
export function plainLink(href: string, base: string): PlainLink | null {
  const parts = baseParts(base);
  if (parts === null) return null;
  const first = href.charCodeAt(0);
  if (first === slash) return href.charCodeAt(1) === slash ? null : append(parts.origin, href, 0);
  if (href.startsWith(parts.origin) && href.charCodeAt(parts.origin.length) === slash)
    return append(parts.origin, href, parts.origin.length);
  if (first === 0x68 && href.startsWith('http')) {
    const match = hostAndSlash.exec(href)?.[0];
    if (match?.includes('xn--') === false) return append(match.slice(0, -1), href, match.length - 1);
    return null;
  }
  if (first === question) return append(parts.document, href, 0, parts.isBare);
  if (first === dot) return fromParent(parts, href);
  if (first === hash || first === percent || !isPathStart(href)) return null;
  return append(parts.folder, href, 0, parts.isBare);
}

/** `./x`, `../x`, `../../../x`: the links of sites built from folders. */
function fromParent({ origin, folder, isBare }: BaseParts, href: string): PlainLink | null {
  let start = href.startsWith('./') ? 2 : 0;
  let from = folder;
  for (; href.startsWith('../../', start); start += 3)
    if (from.length > origin.length + 1) from = from.slice(0, from.lastIndexOf('/', from.length - 2) + 1);
  const next = href.charCodeAt(start);
  // Empty segments (`..//x`) and further dots are left to the parser.
  if (start === 0 || next === dot || next === percent || next === slash) return null;
  return append(from, href, start, isBare);
}

/** A relative path that cannot be mistaken for a scheme: no colon before its first slash. */
function isPathStart(href: string): boolean {
  for (let i = 0; i < href.length; i++) {
    const code = href.charCodeAt(i);
    if (code === slash || code === question) return i > 0;
    if (code === colon) return false;
  }
  return href.length > 0;
}

/** `prefix` plus `href` from `start` on, if the parser would leave all of it unchanged. */
function append(prefix: string, href: string, start: number, isPrefixBare = true): PlainLink | null {
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
    // A segment that starts with a dot, plain or encoded, may be a dot segment.
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

/** The prefixes for relative hrefs. */
interface BaseParts {
  /** `https://example.com`, without user info. */
  readonly origin: string;
  /** Up to the last `/` of the path: `https://example.com/docs/`. */
  readonly folder: string;
  /** Without query and fragment. */
  readonly document: string;
  /** Nothing in the path needs canonicalisation. */
  readonly isBare: boolean;
}

let lastBase: string | undefined;
let lastParts: BaseParts | null = null;

/** The parts of an http(s) base with an ordinary host, otherwise null. The last one is remembered: links of a page share their base. */
export function baseParts(base: string): BaseParts | null {
  if (base === lastBase) return lastParts;
  lastParts = splitBase(base);
  lastBase = base;
  return lastParts;
}

function splitBase(base: string): BaseParts | null {
  const url = parseHref(base);
  if (url === null || !/^https?:/.test(url.protocol)) return null;
  const { origin, pathname, hostname } = url;
  if (hostname.endsWith('.')) return null;
  const document = origin + pathname;
  const folder = document.slice(0, document.lastIndexOf('/') + 1);
  return { origin, document, folder, isBare: !/[%;(]/.test(pathname) };
}
