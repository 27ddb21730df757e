import { parseUrl } from './parse-url.ts';

/**
 * An origin in the one spelling in which origins are compared: HTTP://LOCALHOST:80/ is http://localhost, and
 * http://bücher.example is http://xn--bcher-kva.example. Undefined for what names none. A path is left out.
 */
export function canonicalOrigin(text: string): string | undefined {
  return /^https?:\/\//i.test(text) ? parseUrl(text)?.origin : undefined;
}
