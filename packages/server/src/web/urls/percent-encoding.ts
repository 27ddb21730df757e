const hexDigit = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

/** RFC 3986, 2.3: percent-encoding these characters makes no difference. */
const isUnreserved = (code: number): boolean => {
  const lower = code | 0x20;
  if (lower >= 0x61 && lower <= 0x7a) return true;
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x5f || code === 0x7e;
};

/**
 * Normalises percent-encoding (RFC 3986, 6.2.2): decodes unreserved characters and writes other triplets in upper case. Reserved
 * characters stay as they are, because `/` and `%2F` differ. A `%` that starts no triplet is left alone.
 */
export function normalisePercent(text: string): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let result = '';
  let copied = 0;
  for (; at !== -1; at = text.indexOf('%', at + 1)) {
    const high = hexDigit(text.charCodeAt(at + 1));
    const low = hexDigit(text.charCodeAt(at + 2));
    if (high < 0 || low < 0) continue;
    const code = high * 16 + low;
    result += text.slice(copied, at);
    // After a stray `%` a decoded digit would complete a triplet that was not there: `%%41a` must not become `%Aa`.
    const isDecoded = isUnreserved(code) && result.at(-1) !== '%' && result.at(-2) !== '%';
    result += isDecoded ? String.fromCharCode(code) : text.slice(at, at + 3).toUpperCase();
    copied = at + 3;
    at += 2;
  }
  return result + text.slice(copied);
}
