import type { ExtractOptions, MainContent } from '../extracted-page.ts';
import { limits } from '../limits.ts';
import { escapeInline } from '../markdown/escape-markdown.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { type ChosenContent, chooseContent } from './choose-content.ts';
import { hint } from './class-hints.ts';
import { findTabs } from './find-tabs.ts';
import { measureTape } from './measure-tape.ts';
import { plainText } from './plain-text.ts';
import { pruneContent } from './prune-content.ts';
import { removeUnseen } from './remove-boilerplate.ts';
import { tellLeftOut } from './tell-left-out.ts';

export interface ContentRequest {
  readonly resolve: (href: string) => string | null;
  /** Opens the markdown of a content that does not hold it itself. */
  readonly headline: string | undefined;
  readonly content?: ExtractOptions['content'];
  readonly onLeftOut?: ExtractOptions['onLeftOut'];
}

export function extractContent(tape: Tape, request: ContentRequest): MainContent {
  const { resolve, headline, onLeftOut } = request;
  if (onLeftOut) tape.reasons = new Map();
  measureTape(tape);
  const labels = findTabs(tape);
  const visibleWords = removeUnseen(tape);
  const { root, origin, isMain = false } = request.content === 'full' ? wholePage : chooseContent(tape);
  if (request.content !== 'full') pruneContent(tape, root, isMain);
  if (onLeftOut) tellLeftOut(tape, root, onLeftOut);
  const { markdown, truncated } = renderMarkdown(tape, root, resolve, labels);
  const text = plainText(tape, root);
  const opens = headline !== undefined && markdown !== '' && !/^# /m.test(markdown);
  return {
    markdown: opens ? `# ${escapeInline(headline, false)}\n\n${markdown}` : markdown,
    text,
    wordCount: wordsIn(tape, root),
    visibleWords,
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
