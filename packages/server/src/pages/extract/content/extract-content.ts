import type { MainContent } from '../extracted-page.ts';
import { limits } from '../limits.ts';
import { escapeInline } from '../markdown/escape-markdown.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { chooseContent } from './choose-content.ts';
import { hint } from './class-hints.ts';
import { measureTape } from './measure-tape.ts';
import { plainText } from './plain-text.ts';
import { pruneContent } from './prune-content.ts';

/** `headline` opens the markdown of a content that does not hold it itself. */
export function extractContent(
  tape: Tape,
  resolve: (href: string) => string | null,
  headline: string | undefined,
): MainContent {
  measureTape(tape);
  const { root, origin, isMain = false } = chooseContent(tape);
  pruneContent(tape, root, isMain);
  const { markdown, truncated } = renderMarkdown(tape, root, resolve);
  const text = plainText(tape, root);
  const opens = headline !== undefined && markdown !== '' && !/^# /m.test(markdown);
  return {
    markdown: opens ? `# ${escapeInline(headline, false)}\n\n${markdown}` : markdown,
    text,
    wordCount: wordsIn(tape, root),
    origin,
    truncated: truncated || tape.size >= limits.nodes,
  };
}

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
