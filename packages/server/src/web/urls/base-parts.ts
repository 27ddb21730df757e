import { parseUrl } from './resolve-link.ts';

/** What relative hrefs are put behind. */
export interface BaseParts {
  /** `https://example.com`, without user info. */
  readonly origin: string;
  /** Up to the last `/` of the path: `https://example.com/docs/`. */
  readonly folder: string;
  /** Without query and fragment. */
  readonly document: string;
  /** The path has nothing to canonicalise in it. */
  readonly isBare: boolean;
}

let lastBase: string | undefined;
let lastParts: BaseParts | null = null;

/** The parts of an http(s) base with an ordinary host, else null. All links of a page share their base, so the last one is remembered. */
export function baseParts(base: string): BaseParts | null {
  if (base === lastBase) return lastParts;
  lastParts = splitBase(base);
  lastBase = base;
  return lastParts;
}

function splitBase(base: string): BaseParts | null {
  const url = parseUrl(base);
  if (url === null || !/^https?:/.test(url.protocol)) return null;
  const { origin, pathname, hostname } = url;
  if (hostname.endsWith('.')) return null;
  const document = origin + pathname;
  const folder = document.slice(0, document.lastIndexOf('/') + 1);
  return { origin, document, folder, isBare: !/[%;(]/.test(pathname) };
}
