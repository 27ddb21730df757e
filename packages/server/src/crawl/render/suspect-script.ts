import type { Suspicion } from '@holdfast/contract';
import { isHashRoute } from '../../web/urls/hash-route.ts';

export interface HttpPage {
  readonly url: string;
  readonly body: Buffer;
  readonly links: number;
}

/** What is looked at of a large page; scripts that build one stand at its ends. */
const lookedAt = 512 * 1024;
/** Of letters that are not ASCII, in UTF-8. */
const bytesPerWord = 9;
/** With fewer words a page is hardly finished. */
const fewWords = 30;
const someWords = 120;
const plea = /<noscript\b[^>]*>(?:(?!<\/noscript)[\s\S]){0,2000}?javascript/i;
/** Custom elements, module scripts, the state of a framework, or requests in inline scripts. */
const frameworkMarkup =
  /<script\b[^>]*\btype=["']?module|<[a-z]+-[a-z-]+[\s>]|\b(?:data-reactroot|data-server-rendered|ng-version|__NEXT_DATA__|__NUXT__|q:container|astro-island)\b|\bfetch\(|XMLHttpRequest|IntersectionObserver/;

/**
 * Why a page may need JavaScript. Undefined: it is complete as it came, as far as can be told without running it. `markup` is a weak
 * reason: pages of frameworks often come complete from the server.
 */
export function suspectScript({ url, body, links }: HttpPage): Suspicion | undefined {
  if (isHashRoute(url)) return 'hash_route';
  const start = body.subarray(0, lookedAt);
  if (start.indexOf('<script') === -1 && start.indexOf('<SCRIPT') === -1) return undefined;
  const html = start.toString('latin1');
  const words = countWords(html);
  if (words < fewWords) return 'empty';
  if (words < someWords && plea.test(html)) return 'noscript';
  if (words < someWords && body.length > 100 * words * 6) return 'thin';
  if (links === 0 && words < 4 * someWords) return 'no_links';
  return frameworkMarkup.test(html) ? 'markup' : undefined;
}

/** Words that a reader would see: outside of the head, scripts, styles, templates and comments. */
function countWords(html: string): number {
  const text = html
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(head|script|style|noscript|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ');
  // Some scripts put no spaces between words: bytes beyond ASCII count by their number.
  const others = text.match(/[\x80-\xff]/g)?.length ?? 0;
  return (text.match(/[a-z0-9]+/gi)?.length ?? 0) + Math.floor(others / bytesPerWord);
}
