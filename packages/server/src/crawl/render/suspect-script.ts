import type { Suspicion } from '@holdfast/contract';
import { isHashRoute } from '../../web/urls/hash-route.ts';

export interface HttpPage {
  readonly url: string;
  readonly body: Buffer;
  readonly links: number;
}

/** Part of a large page that is examined; scripts that build a page are at its start or end. */
const lookedAt = 512 * 1024;
/** Of letters that are not ASCII, in UTF-8. */
const bytesPerWord = 9;
/** A page with fewer words is probably unfinished. */
const fewWords = 30;
const someWords = 120;
const bytesOfThinWord = 600;
/* Every expression must have bounded look-ahead: hostile pages would trigger it at every position. */
const plea = /<noscript\b[^<>]*>(?:(?!<\/noscript)[\s\S]){0,500}?java\s?script/i;
/** An element that a script may fill: an empty list or table body, a placeholder, a skeleton or a spinner. */
const emptyMount = new RegExp(
  [
    /<(?:ul|ol|tbody|main|article|table|app-root)\b[^<>]{0,500}>\s*(?:<!--[^<>]{0,100}-->\s*)?<\//,
    /<(?:div|section|span|p)\b[^<>]{0,300}\s(?:id|data-[\w-]{1,50})\s*=[^<>]{0,300}>\s*(?:<!--[^<>]{0,100}-->\s*)?<\//,
    /\saria-busy\s*=\s*["']?true/,
    /\s(?:class|id)\s*=\s*["'][^"'<>]{0,300}(?:skeleton|placeholder|shimmer|spinner|loading|loader|sentinel|infinite|lazy-?load|load-?more)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** Elements that navigate only by script. */
const clickable = new RegExp(
  [
    /\sonclick\s*=\s*["'][^"'<>]{0,300}(?:location|navigate|open\s?\(|goto|href|route|push)/,
    /\srole\s*=\s*["']?link\b/,
    /\sdata-(?:href|url|link|route|navigate)\s*=/,
    /<a\s(?![^<>]{0,500}\b(?:href|name|id)\b)[^<>]{0,500}>/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** Data for scripts, except structured data for search engines. */
const dataScript =
  /<script\b[^<>]{0,300}\btype=["']?application\/json[^<>]{0,300}>([\s\S]*?)(?:<\/script|$)/gi;
/** Custom elements, module scripts, the state of a framework, or requests in inline scripts. */
const frameworkMarkup =
  /<script\b[^<>]*\btype=["']?module|<[a-z]+-[a-z-]+[\s>]|\b(?:data-reactroot|data-server-rendered|ng-version|__NEXT_DATA__|__NUXT__|q:container|astro-island)\b|\bfetch\(|XMLHttpRequest|IntersectionObserver|window\.__\w+__\s?=/;
/** An external script, or an inline script that writes to the page or navigates. */
const anyScript =
  /<script\b[^<>]*\ssrc\s?=|\b(?:innerHTML|insertAdjacent\w+|append(?:Child)?|createElement|replaceWith|replaceChildren|textContent\s?=|document\.write|getJSON|ajax)\b|\blocation(?:\.href)?\s?=[^=]|\blocation\.(?:replace|assign)\(/;

/**
 * Why a page may need JavaScript. Undefined: it looks complete. `markup` is a weak reason: pages of frameworks are
 * often complete in the server's response.
 */
export function suspectScript({ url, body, links }: HttpPage): Suspicion | undefined {
  if (isHashRoute(url)) return 'hash_route';
  const start = body.subarray(0, lookedAt);
  const html = start.toString('latin1');
  const isClickable = clickable.test(html);
  if (!isClickable && !/<script/i.test(html)) return undefined;
  const words = countWords(html);
  if (words < fewWords) return isClickable && !/<script/i.test(html) ? 'clicks' : 'empty';
  if (plea.test(html)) return 'noscript';
  if (words < someWords && body.length > bytesOfThinWord * words) return 'thin';
  const markup = html.replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ');
  if (emptyMount.test(markup)) return 'mount';
  if (isClickable) return 'clicks';
  if (links === 0 && words < 4 * someWords) return 'no_links';
  if (dataLength(html) > words * bytesPerWord) return 'data';
  if (frameworkMarkup.test(html)) return 'markup';
  return anyScript.test(html) ? 'script' : undefined;
}

function dataLength(html: string): number {
  return [...html.matchAll(dataScript)].reduce((sum, [, data = '']) => sum + data.length, 0);
}

/** Visible words: outside the head, scripts, styles, templates and comments. */
function countWords(html: string): number {
  const text = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(head|script|style|noscript|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
  // Some scripts put no spaces between words: bytes beyond ASCII count by their number.
  const others = text.match(/[\x80-\xff]/g)?.length ?? 0;
  return (text.match(/[a-z0-9]+/gi)?.length ?? 0) + Math.floor(others / bytesPerWord);
}
