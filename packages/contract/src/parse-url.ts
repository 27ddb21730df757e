/**
 * The URL, or undefined for what is none. Not by URL.canParse: in Node 20 and 22 it refuses letters such as ü from some
 * thousand calls on, when V8 has optimised it.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
