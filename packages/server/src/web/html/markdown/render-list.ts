import { limits } from '../limits.ts';
import { tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { linesOf } from './render-inline.ts';
import { joinBlocks, type RenderedBlock, type Rendering } from './rendering.ts';

export function renderList(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  if (rendering.nesting >= limits.nestedBlocks) {
    rendering.writeBlocks(node, blocks);
    return;
  }
  const { tape } = rendering;
  const ordered = tape.tags[node] === tag.ol;
  // Sections that a list only lays out.
  if (!ordered && ((tape.holds[node] as number) & holding.heading) !== 0) {
    for (let child = node + 1; child < (tape.ends[node] as number); child = tape.ends[child] as number)
      if (tape.tags[child] !== textNode && !rendering.isGone(child)) rendering.writeBlocks(child, blocks);
    return;
  }
  let number = tape.details.get(node)?.start ?? 1;
  const items: string[] = [];
  for (let child = node + 1; child < (tape.ends[node] as number); child = tape.ends[child] as number) {
    if (tape.tags[child] === textNode || rendering.isGone(child)) continue;
    const isList = tape.tags[child] === tag.ul || tape.tags[child] === tag.ol;
    const text = joinItem(isList ? nestedList(rendering, child) : rendering.nested(child));
    if (text === '') continue;
    const marker = ordered ? `${number++}. ` : '- ';
    // A list directly inside a list belongs to the item before it.
    items.push(isList ? indent(text, '  ', true) : marker + indent(text, ' '.repeat(marker.length), false));
  }
  if (items.length > 0) blocks.push({ text: items.join('\n'), isList: true });
}

function nestedList(rendering: Rendering, node: number): RenderedBlock[] {
  const blocks: RenderedBlock[] = [];
  rendering.nesting++;
  renderList(rendering, node, blocks);
  rendering.nesting--;
  return blocks;
}

function joinItem(blocks: readonly RenderedBlock[]): string {
  let out = '';
  for (const { text, isList } of blocks) out += out === '' ? text : (isList ? '\n' : '\n\n') + text;
  return out;
}

function indent(text: string, by: string, first: boolean): string {
  const rest = text.includes('\n') ? text.replace(/\n(?=[^\n])/g, `\n${by}`) : text;
  return first ? by + rest : rest;
}

/** Listings, lists, tables, quotes and headings; text that looks like one is escaped. */
const isBlockMarkup = /^(?:`{3,}[^`\n]*\n|[-*+] |\d+\. |\| |> |#{1,6} )/;

/**
 * Definition lists in the syntax of Pandoc and PHP Markdown Extra, which reads well as plain text too. A definition that opens
 * with a listing or a list follows its term as blocks: most readers of markdown take ": ```" for text and the closing fence
 * for an opening one.
 */
export function renderDefinitions(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  if (rendering.nesting >= limits.nestedBlocks) {
    rendering.writeBlocks(node, blocks);
    return;
  }
  const { tape } = rendering;
  const end = tape.ends[node] as number;
  if (hasCodeTerm(tape, node)) {
    rendering.writeBlocks(node, blocks);
    return;
  }
  const lines: string[] = [];
  let afterDefinition = false;
  for (let child = node + 1; child < end; child++) {
    const id = tape.tags[child] as number;
    if (id === textNode || rendering.isGone(child)) {
      child = (tape.ends[child] as number) - 1;
      continue;
    }
    // Groups may be wrapped in a div.
    if (id === tag.div) continue;
    const term = id === tag.dt ? linesOf(rendering, child) : '';
    const definition = id === tag.dt ? '' : joinBlocks(rendering.nested(child));
    if (term !== '') {
      lines.push(afterDefinition ? `\n${term}` : term);
      afterDefinition = false;
    }
    if (definition !== '') {
      lines.push(isBlockMarkup.test(definition) ? `\n${definition}` : `: ${indent(definition, '  ', false)}`);
      afterDefinition = true;
    }
    child = (tape.ends[child] as number) - 1;
  }
  if (lines.length > 0) blocks.push({ text: lines.join('\n'), isList: false });
}

/** A term is a single line, so a listing in it needs the block form. */
function hasCodeTerm({ tags, ends, holds }: Tape, node: number): boolean {
  for (let child = node + 1; child < (ends[node] as number); child++) {
    if (tags[child] === tag.dt && ((holds[child] as number) & holding.code) !== 0) return true;
    if (tags[child] !== tag.div) child = (ends[child] as number) - 1;
  }
  return false;
}
