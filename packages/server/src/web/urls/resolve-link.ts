/** Newer than the oldest Node we run on; it spares the cost of an exception for each unusable href. */
const parse = (URL as unknown as { parse?: (url: string, base?: string) => URL | null }).parse;

/**
 * The absolute form of an href as a browser sees it, whatever its scheme, or null. White space around it and line breaks
 * inside it are dropped, as HTML asks: the URL Standard's parser does both.
 */
export function resolveLink(href: string, base?: string): string | null {
  return parseUrl(href, base)?.href ?? null;
}

export function parseUrl(href: string, base?: string): URL | null {
  if (parse) return parse.call(URL, href, base);
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}
