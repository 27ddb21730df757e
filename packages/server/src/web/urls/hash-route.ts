import { maxUrlLength } from './canonical-url.ts';

/**
 * The fragment that names a page of a single-page application (`#/about`, `#!about`) rather than a position in a
 * document. It has a meaning only in a browser.
 */
function hashRouteOf(href: string): string {
  const at = href.indexOf('#');
  const next = at === -1 ? '' : href[at + 1];
  return next === '/' || next === '!' ? href.slice(at).trimEnd() : '';
}

export function isHashRoute(url: string): boolean {
  return hashRouteOf(url) !== '';
}

/** A canonical URL with the route of the link that led to it. */
export function withHashRoute(url: string | null, href: string): string | null {
  const route = hashRouteOf(href);
  // `#/` is where `/` leads.
  if (url === null || route.length <= 2) return url;
  const whole = url + encodeURI(decoded(route));
  return whole.length > maxUrlLength ? url : whole;
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
