import { resolveLink } from '../urls/plain-link.ts';

export interface ListedLink {
  readonly url: string;
  /** The link's text, '' for a bare URL. */
  readonly title: string;
}

const maxLinks = 50_000;
const longestUrl = 4096;
const longestTitle = 300;

/**
 * The links of an llms.txt, or any markdown or text, in order and without duplicates: `[title](url)`, `[id]: url`, `<url>` and bare
 * URLs. Skips images and fenced code. Takes linear time.
 */
export function readLinkList(text: string, base?: string, limit = maxLinks): ListedLink[] {
  const links = new Map<string, ListedLink>();
  const add = (href: string, title: string): void => {
    const url = href.length <= longestUrl ? resolveLink(href, base) : null;
    if (url === null || !/^https?:/.test(url) || links.size >= limit) return;
    if (!links.has(url)) links.set(url, { url, title });
  };
  let fence = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    else if (fence === '' && links.size < limit) linksOfLine(line, add);
  }
  return [...links.values()];
}

function linksOfLine(line: string, add: (href: string, title: string) => void): void {
  const definition = /^ {0,3}\[([^\]]{1,300})\]:\s*<?([^\s>]+)/.exec(line);
  if (definition) {
    add(definition[2] as string, definition[1] as string);
    return;
  }
  let at = 0;
  for (let middle = line.indexOf('](', at); middle !== -1; middle = line.indexOf('](', at)) {
    const close = closingParenthesis(line, middle + 2);
    const from = Math.max(at, middle - longestTitle);
    const open = from + line.slice(from, middle).lastIndexOf('[');
    const isLink = close !== -1 && open >= from;
    bareUrls(line.slice(at, isLink ? open : middle), add);
    if (isLink && line[open - 1] !== '!') {
      const href = line
        .slice(middle + 2, close)
        .trim()
        .split(/\s/, 1)[0] as string;
      add(href.replace(/^<|>$/g, ''), line.slice(open + 1, middle).trim());
    }
    at = isLink ? close + 1 : middle + 2;
  }
  bareUrls(line.slice(at), add);
}

/** The parenthesis that closes a link's target, which may contain pairs of them. */
function closingParenthesis(line: string, start: number): number {
  let depth = 0;
  for (let i = start; i < line.length && i < start + longestUrl; i++) {
    const char = line[i];
    if (char === '(') depth++;
    else if (char === ')' && depth-- === 0) return i;
    // No target or title contains `](`, so no text is scanned twice.
    else if (char === ']' && line[i + 1] === '(') return -1;
  }
  return -1;
}

function bareUrls(text: string, add: (href: string, title: string) => void): void {
  for (const [url] of text.matchAll(/https?:\/\/[^\s<>"'`[\]{}|\\^]+/gi))
    if (url.length <= longestUrl) add(url.slice(0, endOfUrl(url)), '');
}

/** Excludes the punctuation of the surrounding sentence. A regular expression would backtrack at each mark inside the URL. */
function endOfUrl(url: string): number {
  let end = url.length;
  while (end > 0 && '.,;:!?*_)'.includes(url[end - 1] as string)) end--;
  return end;
}
