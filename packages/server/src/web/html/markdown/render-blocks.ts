import { limits } from '../limits.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding } from '../tape/tape.ts';
import { escapeInline, escapeLineStarts } from './escape-markdown.ts';
import { InlineRun } from './inline-run.ts';
import { renderCodeBlock } from './render-code-block.ts';
import { linkTarget, renderInline } from './render-inline.ts';
import { renderDefinitions, renderList } from './render-list.ts';
import { renderTable } from './render-table.ts';
import type { Rendering } from './rendering.ts';
import { hardBreaks, joinLines } from './tidy-lines.ts';

export interface RenderedBlock {
  readonly text: string;
  /** A list right below an item's line needs no empty line between. */
  readonly isList: boolean;
}

/** Writes the children of a node as blocks; -1 stands for the page. */
export function renderBlocks(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  const { tags, ends, holds, size } = rendering.tape;
  const end = node < 0 ? size : (ends[node] as number);
  let run = new InlineRun();
  for (let child = node + 1; child < end; child = ends[child] as number) {
    if (rendering.truncated) break;
    const id = tags[child] as number;
    const block = isBlock[id] === 1;
    if (id !== textNode && rendering.isGone(child)) {
      if (block) run = flush(rendering, run, blocks);
    } else if (block || ((holds[child] as number) & holding.block) !== 0) {
      run = flush(rendering, run, blocks);
      const label = rendering.labels?.get(child);
      if (label !== undefined) pushText(blocks, `**${escapeInline(label, false)}**`);
      renderBlock(rendering, child, id, blocks);
    } else renderInline(rendering, child, run);
  }
  flush(rendering, run, blocks);
}

function renderBlock(rendering: Rendering, node: number, id: number, blocks: RenderedBlock[]): void {
  if (isHeading[id] === 1) pushText(blocks, renderHeading(rendering, node, id));
  else if (id === tag.pre || id === tag.xmp) renderCodeBlock(rendering, node, blocks);
  else if (id === tag.hr) blocks.push({ text: '---', isList: false });
  else if (id === tag.blockquote) renderQuote(rendering, node, blocks);
  else if (id === tag.ul || id === tag.ol || id === tag.menu || id === tag.dir)
    renderList(rendering, node, blocks);
  else if (id === tag.dl) renderDefinitions(rendering, node, blocks);
  else if (id === tag.table) renderTable(rendering, node, blocks);
  else if (id === tag.a) renderLinkedBlocks(rendering, node, blocks);
  else renderBlocks(rendering, node, blocks);
}

function pushText(blocks: RenderedBlock[], text: string): void {
  if (text !== '') blocks.push({ text, isList: false });
}

/** Ends a line: two breaks or more within it end a paragraph. */
function flush(rendering: Rendering, run: InlineRun, blocks: RenderedBlock[]): InlineRun {
  if (run.out === '') return run;
  for (const part of run.out.includes('\n\n') ? run.out.split(/\n{2,}/) : [run.out]) {
    const text = part.trim();
    if (text === '') continue;
    pushText(blocks, linked(rendering, escapeLineStarts(hardBreaks(text))));
  }
  return new InlineRun();
}

function linked(rendering: Rendering, text: string): string {
  if (rendering.href === undefined || text === '' || text.includes('](')) return text;
  const target = linkTarget(rendering, rendering.href);
  return target === null ? text : `[${joinLines(text, ' ')}](${target})`;
}

function renderHeading(rendering: Rendering, node: number, id: number): string {
  rendering.inHeading = true;
  const text = linesOf(rendering, node);
  rendering.inHeading = false;
  return text === '' ? '' : `${'#'.repeat(id - tag.h1 + 1)} ${linked(rendering, text)}`;
}

/** Everything inside as one line. */
export function linesOf(rendering: Rendering, node: number): string {
  const run = new InlineRun();
  const { ends, tags, holds } = rendering.tape;
  const end = ends[node] as number;
  for (let child = node + 1; child < end; child++) {
    const id = tags[child] as number;
    if (id !== textNode && rendering.isGone(child)) child = (ends[child] as number) - 1;
    else if (id !== textNode && (isBlock[id] === 1 || ((holds[child] as number) & holding.block) !== 0))
      run.space();
    else {
      renderInline(rendering, child, run);
      child = (ends[child] as number) - 1;
    }
  }
  return joinLines(run.out.trim(), ' ');
}

function renderQuote(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  if (rendering.nesting >= limits.nestedBlocks) renderBlocks(rendering, node, blocks);
  else
    pushText(
      blocks,
      joinBlocks(nested(rendering, node))
        .replace(/^(?=.)/gm, '> ')
        .replace(/^$/gm, '>'),
    );
}

/** An `<a>` around a whole card: its first line carries the link. */
function renderLinkedBlocks(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  const outer = rendering.href;
  rendering.href = rendering.tape.details.get(node)?.href ?? outer;
  renderBlocks(rendering, node, blocks);
  rendering.href = outer;
}

export function nested(rendering: Rendering, node: number): RenderedBlock[] {
  rendering.nesting++;
  const blocks: RenderedBlock[] = [];
  renderBlocks(rendering, node, blocks);
  rendering.nesting--;
  return blocks;
}

export function joinBlocks(blocks: readonly RenderedBlock[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}
