import { codeSpan } from '../../html/markdown/code-block.ts';
import { escapeInline, escapeLineStarts } from '../../html/markdown/escape-markdown.ts';
import { collapseSpace } from '../../html/page-text.ts';
import type { Block } from './pdf-blocks.ts';
import type { Run } from './pdf-lines.ts';

/** Where the text of a page begins, so that a reader of the markdown can name it: document.pdf#page=12. */
const pageAnchor = (page: number) => `<a id="page-${page}"></a>`;

export function writeMarkdown(blocks: readonly Block[]): string {
  const parts: string[] = [];
  let wasItem = false;
  for (const block of blocks) {
    const text = written(block);
    if (text === '') continue;
    const isItem = block.kind === 'item';
    if (parts.length > 0) parts.push(isItem && wasItem ? '\n' : '\n\n');
    parts.push(text);
    wasItem = isItem;
  }
  return parts.join('');
}

function written(block: Block): string {
  switch (block.kind) {
    case 'page':
      return pageAnchor(block.page);
    case 'heading': {
      const text = inline(block.runs.map((run) => ({ ...run, isCode: false })));
      return text === '' ? '' : `${'#'.repeat(block.level)} ${text}`;
    }
    case 'code': {
      const code = block.lines.join('\n');
      const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
      const fence = '`'.repeat(longest + 1);
      return `${fence}\n${code}\n${fence}`;
    }
    case 'item': {
      const indent = '  '.repeat(block.depth);
      const text = inline(block.runs);
      if (text === '') return '';
      return /^\d+[.)]$/.test(block.marker)
        ? `${indent}${block.marker} ${text}`
        : `${indent}- ${block.marker === '-' ? '' : `${block.marker} `}${text}`;
    }
    default:
      return escapeLineStarts(inline(block.runs));
  }
}

export function plainText(runs: readonly Run[]): string {
  return collapseSpace(runs.map(({ text }) => text).join('')).trim();
}

/** Runs of the same kind become one code span or link. */
function inline(runs: readonly Run[]): string {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    const isSame =
      last && last.href === run.href && last.isCode === run.isCode && last.isRaised === run.isRaised;
    if (isSame) last.text += run.text;
    else merged.push({ ...run });
  }
  return merged
    .map(markedUp)
    .join('')
    .replace(/[\t ]+/g, ' ')
    .trim();
}

/** White space stays outside of the marks. */
function markedUp({ text, isCode, href, isRaised }: Run): string {
  const core = withoutLeader(text).trim();
  if (core === '') return ' ';
  const before = /^\s/.test(text) ? ' ' : '';
  const after = /\s$/.test(text) ? ' ' : '';
  const own = isCode ? codeSpan(core) : escapeInline(core, href !== undefined);
  const raised = isRaised && /^[\p{L}\p{N}*†‡,]{1,10}$/u.test(core) ? `^${own}^` : own;
  return `${before}${href === undefined ? raised : `[${raised}](${target(href)})`}${after}`;
}

const target = (href: string) =>
  href.replace(/[\s<>()]/g, (char) =>
    char === '(' ? '%28' : char === ')' ? '%29' : encodeURIComponent(char),
  );

/** The dots of a table of contents. */
const withoutLeader = (text: string) => text.replace(/(?:\s?\.){4,}/g, ' …').replace(/\t(\d{1,4})$/, ' … $1');
