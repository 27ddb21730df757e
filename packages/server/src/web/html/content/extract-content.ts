import type { ExtractOptions, LeftOutPart, LeftOutReason, MainContent } from '../extracted-page.ts';
import { limits } from '../limits.ts';
import { escapeInline } from '../markdown/escape-markdown.ts';
import { renderHtml } from '../markdown/render-html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { collapseSpace, decodeText } from '../page-text.ts';
import type { Selection } from '../selectors/selection.ts';
import { hint } from '../tape/class-hints.ts';
import { tag, tagName, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { type ChosenContent, chooseContent } from './choose-content.ts';
import { findListings } from './find-listings.ts';
import { findTabs } from './find-tabs.ts';
import { findHeadlines, missingHeadline } from './headline.ts';
import { measureTape } from './measure-tape.ts';
import { plainText } from './plain-text.ts';
import { pruneContent } from './prune-content.ts';
import { removeUnseen } from './remove-boilerplate.ts';

interface ContentRequest {
  readonly resolve: (href: string) => string | null;
  readonly title: string | undefined;
  readonly content?: ExtractOptions['content'];
  readonly onLeftOut?: ExtractOptions['onLeftOut'];
  readonly cleanHtml?: ExtractOptions['cleanHtml'];
  readonly selection: Selection | undefined;
}

export function extractContent(tape: Tape, request: ContentRequest): MainContent {
  const { resolve, onLeftOut } = request;
  if (onLeftOut) tape.reasons = new Map();
  request.selection?.apply(tape);
  const isWhole = request.content === 'full' || request.selection?.isExact === true;
  measureTape(tape);
  findListings(tape);
  const labels = findTabs(tape);
  const headlines = findHeadlines(tape, request.title);
  const visibleWords = removeUnseen(tape);
  const {
    root,
    origin,
    isMain = false,
  } = isWhole ? wholePage : chooseContent(tape, headlines.find(({ isPlain }) => isPlain)?.node);
  if (!isWhole) pruneContent(tape, root, isMain, headlines[0]?.node);
  if (onLeftOut) tellLeftOut(tape, root, onLeftOut);
  const { markdown, truncated } = renderMarkdown(tape, root, resolve, labels);
  const text = plainText(tape, root);
  const kept = wordsIn(tape, root);
  const opens =
    markdown === '' || request.selection?.isExact ? undefined : missingHeadline(tape, root, headlines);
  return {
    markdown: opens
      ? `${'#'.repeat(opens.level)} ${escapeInline(opens.text, false)}\n\n${markdown}`
      : markdown,
    text,
    wordCount: kept,
    html: request.cleanHtml ? renderHtml(tape, root, resolve) : undefined,
    // Of a page that shows next to nothing, hidden text is better than none.
    visibleWords: Math.max(visibleWords, kept),
    origin,
    truncated: truncated || tape.size >= limits.nodes,
  };
}

const wholePage: ChosenContent = { root: -1, origin: 'page' };

function wordsIn(tape: Tape, root: number): number {
  const { tags, hints, words, ends } = tape;
  const end = root < 0 ? tape.size : (ends[root] as number);
  let sum = 0;
  for (let node = root + 1; node < end; node++) {
    if (tags[node] === textNode) sum += words[node] as number;
    else if (((hints[node] as number) & hint.gone) !== 0) node = (ends[node] as number) - 1;
  }
  return sum;
}

const shownLength = 120;

/** Reports the parts of the page that are not in its content, in page order. Parts without text are skipped. */
function tellLeftOut(tape: Tape, root: number, onLeftOut: (part: LeftOutPart) => void): void {
  const { ends, hints, tags, size } = tape;
  const end = root < 0 ? size : (ends[root] as number);
  for (let node = 0; node < size; node++) {
    if ((tags[node] as number) === textNode) {
      if (isOutside(node)) report(node, 'outside the main content');
      continue;
    }
    const isGone = ((hints[node] as number) & hint.gone) !== 0;
    const holdsRoot = node <= root && (ends[node] as number) >= end;
    if (!isGone && (holdsRoot || !isOutside(node))) continue;
    report(node, (isGone && tape.reasons?.get(node)) || 'outside the main content');
    node = (ends[node] as number) - 1;
  }

  function isOutside(node: number): boolean {
    return root >= 0 && (node < root || node >= end);
  }

  function report(node: number, reason: LeftOutReason): void {
    if (tags[node] === tag.title) return;
    const { text, words } = textOf(tape, node);
    if (text !== '') onLeftOut({ reason, tag: tagName(tags[node] as number), words, text });
  }
}

function textOf(tape: Tape, node: number): { text: string; words: number } {
  let text = '';
  let words = 0;
  for (let at = node; at < (tape.ends[node] as number); at++) {
    if (tape.tags[at] !== textNode) continue;
    words += tape.words[at] as number;
    if (text.length < 4 * shownLength) text += ` ${tape.html.slice(tape.starts[at], tape.stops[at])}`;
  }
  return { text: collapseSpace(decodeText(text)).slice(0, shownLength), words };
}
