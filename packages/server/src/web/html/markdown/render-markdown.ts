import { limits } from '../limits.ts';
import { cutText, storableText } from '../page-text.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { renderCodeBlock } from './code-block.ts';
import { escapeInline, escapeLineStarts } from './escape-markdown.ts';
import { hardBreaks, InlineRun, joinLines } from './inline-run.ts';
import { linesOf, linkTarget, renderInline } from './render-inline.ts';
import { renderDefinitions, renderList } from './render-list.ts';
import { isSingleLine, renderTable } from './render-table.ts';
import { joinBlocks, type RenderedBlock, Rendering } from './rendering.ts';

const rule = '---';

/** Writes the chosen content as markdown; root -1 is the whole page. */
export function renderMarkdown(
  tape: Tape,
  root: number,
  resolve: (href: string) => string | null,
  labels?: ReadonlyMap<number, string>,
): { markdown: string; truncated: boolean } {
  const rendering = new Rendering(tape, resolve, labels, renderBlocks);
  const blocks: RenderedBlock[] = [];
  renderBlocks(rendering, root, blocks);
  while (blocks.at(0)?.text === rule) blocks.shift();
  while (blocks.at(-1)?.text === rule) blocks.pop();
  const markdown = joinBlocks(blocks);
  const truncated = rendering.truncated || markdown.length > limits.markdownLength;
  return { markdown: storableText(cutText(markdown, limits.markdownLength)), truncated };
}

function renderBlocks(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
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
  else if (id === tag.hr) blocks.push({ text: rule, isList: false });
  else if (id === tag.blockquote) renderQuote(rendering, node, blocks);
  else if (id === tag.ul || id === tag.ol || id === tag.menu || id === tag.dir)
    renderList(rendering, node, blocks);
  else if (id === tag.dl) renderDefinitions(rendering, node, blocks);
  else if (id === tag.table) renderTable(rendering, node, blocks);
  else if (id === tag.tr && isSingleLine(rendering, node)) pushText(blocks, linesOf(rendering, node));
  else if (id === tag.a) renderLinkedBlocks(rendering, node, blocks);
  else renderBlocks(rendering, node, blocks);
}

function pushText(blocks: RenderedBlock[], text: string): void {
  if (text !== '') blocks.push({ text, isList: false });
}

/** Ends the current paragraph. Two breaks in a row within it start another. */
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

function renderQuote(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  if (rendering.nesting >= limits.nestedBlocks) renderBlocks(rendering, node, blocks);
  else
    pushText(
      blocks,
      joinBlocks(rendering.nested(node))
        .replace(/^(?=.)/gm, '> ')
        .replace(/^$/gm, '>'),
    );
}

/** A link around a whole card: each of its lines carries the link. */
function renderLinkedBlocks(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  const outer = rendering.href;
  rendering.href = rendering.tape.details.get(node)?.href ?? outer;
  renderBlocks(rendering, node, blocks);
  rendering.href = outer;
}
