import { currencyOfRegion } from '../prices/currencies.ts';

/** Country domains that are used worldwide. */
const international = new Set([
  'ac', 'ag', 'ai', 'am', 'as', 'bz', 'cc', 'cd', 'co', 'dj', 'fm', 'gg', 'im', 'io', 'la', 'li', 'ly', 'me', 'ms', 'nu', 'pw',
  'sc', 'sh', 'st', 'tk', 'to', 'tv', 'vc', 'vg', 'ws',
]); // biome-ignore format: a list of words

/** The region (ISO 3166) of a shop, from its domain, `/en-gb/` or `/gb/en/` in the path, or its language. Decides what `$` means. */
export function pageRegion(url: string, language: string | null): string | null {
  return domainRegion(url) ?? pathRegion(url) ?? languageRegion(language);
}

function domainRegion(url: string): string | null {
  const top = /\.([a-z]{2})$/.exec(hostOf(url))?.[1];
  return top === undefined || international.has(top) ? null : known(top);
}

function pathRegion(url: string): string | null {
  const path = /^[a-z]+:\/\/[^/]+(\/[^?#]*)/i.exec(url)?.[1] ?? '';
  const both = /^\/([a-z]{2})[-_]([a-z]{2})(?:\/|$)/i.exec(path);
  if (both !== null) return known(both[2] as string) ?? known(both[1] as string);
  const apart = /^\/([a-z]{2})\/[a-z]{2}(?:\/|$)/i.exec(path);
  return apart === null ? null : known(apart[1] as string);
}

function languageRegion(language: string | null): string | null {
  if (language === null) return null;
  try {
    return new Intl.Locale(language).maximize().region ?? null;
  } catch {
    return null;
  }
}

function known(region: string): string | null {
  const code = region.toUpperCase() === 'UK' ? 'GB' : region.toUpperCase();
  return currencyOfRegion(code) === null ? null : code;
}

function hostOf(url: string): string {
  return /^[a-z]+:\/\/([^/:?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}
