import { normalisePercent } from '../urls/percent-encoding.ts';

/** What URLs hold in percent-encoded form, and robots.txt files often do not. Each character is one byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what has to be encoded
const toEncode = /[\x00-\x20"<>`{}\x7f-\xff]/g;

const encodeByte = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * A rule's pattern in normal form (RFC 9309, 2.2.2): bytes beyond ASCII encoded, unreserved characters decoded. `*` and
 * a final `$` stay special; any other `$` is itself.
 */
export function robotsPattern(bytes: string): string {
  const isAnchored = bytes.endsWith('$');
  const body = isAnchored ? bytes.slice(0, -1) : bytes;
  const normal = normalisePercent(body.replace(toEncode, encodeByte)).replaceAll('$', '%24');
  return normal.replace(/\*{2,}/g, '*') + (isAnchored ? '$' : '');
}

/** Path and query of a URL in the same normal form: what is special in a pattern is encoded (RFC 9309, 2.2.3). */
export function robotsPath(url: string): string {
  const authority = url.indexOf('//');
  const from = authority === -1 ? 0 : authority + 2;
  const start = url.slice(from).search(/[/?;#]/);
  const path = start === -1 ? '' : (url.slice(from + start).split('#', 1)[0] as string);
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return /[%*$]/.test(rooted)
    ? normalisePercent(rooted).replaceAll('*', '%2A').replaceAll('$', '%24')
    : rooted;
}
