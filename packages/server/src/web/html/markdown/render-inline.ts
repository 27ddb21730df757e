import { decodeText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isBlock, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { trait } from '../tape/text-traits.ts';
import { codeSpan, codeText } from './code-block.ts';
import { escapeInline } from './escape-markdown.ts';
import { InlineRun, joinLines } from './inline-run.ts';
import type { Rendering } from './rendering.ts';

const strong = 1;
const emphasis = 2;
const struck = 4;
const link = 8;
const spaces = /[\t\n\f\r ]+/g;
/** Permalink signs that documentation generators put on headings. */
const anchorSign = /^(?:[¶#§🔗⚓↩↑\s]|\uFE0E|\uFE0F|\\#)*$/u;

/** Appends an inline element or text to a run. */
export function renderInline(rendering: Rendering, node: number, run: InlineRun, marks = 0): void {
  const { tape } = rendering;
  const id = tape.tags[node] as number;
  if (id === textNode) {
    renderText(rendering, node, run, marks);
    return;
  }
  if (rendering.isGone(node)) return;
  const misnested = ((tape.hints[node] as number) & hint.misnested) !== 0;
  switch (id) {
    case tag.br:
      run.breakLine();
      return;
    case tag.img:
      renderImage(rendering, node, run);
      return;
    case tag.b:
    case tag.strong:
      if (rendering.inHeading || misnested) break;
      renderMarked(rendering, node, run, marks, strong, '**');
      return;
    case tag.i:
    case tag.em:
    case tag.cite:
    case tag.dfn:
      if (misnested) break;
      renderMarked(rendering, node, run, marks, emphasis, '*');
      return;
    case tag.s:
    case tag.del:
    case tag.strike:
      renderMarked(rendering, node, run, marks, struck, '~~');
      return;
    case tag.code:
    case tag.kbd:
    case tag.samp:
    case tag.tt:
      renderCode(rendering, node, run);
      return;
    case tag.a:
      if (misnested) break;
      renderLink(rendering, node, run, marks);
      return;
    case tag.sup:
    case tag.sub:
      renderRaised(rendering, node, run, marks, id === tag.sup ? '^' : '~');
      return;
    case tag.math:
      renderMath(rendering, node, run);
      return;
    case tag.script:
      writeTex(run, codeText(rendering, node), rendering.tape.details.get(node)?.isDisplayed === true);
      return;
    case tag.input:
      renderCheckbox(rendering, node, run);
      return;
    case tag.abbr:
      renderChildren(rendering, node, run, marks);
      renderExpansion(rendering, node, run);
      return;
    case tag.q: {
      const inner = new InlineRun();
      renderChildren(rendering, node, inner, marks);
      run.wrap('“', inner, '”');
      return;
    }
  }
  renderChildren(rendering, node, run, marks);
}

/** The contents of a node as one line. */
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

function renderChildren(rendering: Rendering, node: number, run: InlineRun, marks: number): void {
  const { ends } = rendering.tape;
  const end = ends[node] as number;
  for (let child = node + 1; child < end; child = ends[child] as number)
    renderInline(rendering, child, run, marks);
}

function renderText(rendering: Rendering, node: number, run: InlineRun, marks: number): void {
  const { tape } = rendering;
  const raw = rendering.take(tape.html.slice(tape.starts[node], tape.stops[node]));
  const traits = tape.hints[node] as number;
  const text = (traits & trait.spaced) !== 0 ? raw.replace(spaces, ' ') : raw;
  if ((traits & trait.markup) === 0) run.append(text);
  else run.append(escapeInline(decodeText(text), (marks & link) !== 0));
}

function renderMarked(
  rendering: Rendering,
  node: number,
  run: InlineRun,
  marks: number,
  own: number,
  mark: string,
): void {
  if ((marks & own) !== 0) {
    renderChildren(rendering, node, run, marks);
    return;
  }
  const inner = new InlineRun();
  renderChildren(rendering, node, inner, marks | own);
  const isWord = /[\p{L}\p{N}[]/u.test(inner.out);
  if (isWord) run.wrap(mark, inner, mark);
  else {
    if (inner.startsSpaced) run.space();
    run.write(inner.out.replace(/(?<!\\)[*_]/g, '\\$&'));
    if (inner.endsSpaced) run.space();
  }
}

/**
 * Superscripts and subscripts in Pandoc's syntax, so that 2^32^ does not read 232. Text with spaces or brackets needs the HTML
 * element.
 */
function renderRaised(rendering: Rendering, node: number, run: InlineRun, marks: number, mark: string): void {
  const inner = new InlineRun();
  // A footnote's number is not worth a link: the note is on the same page.
  renderChildren(rendering, node, inner, leadsWithinPage(rendering.tape, node) ? marks | link : marks);
  const { out } = inner;
  if (out === '' || out.includes('\n')) run.wrap('', inner, '');
  else if (/[\s\]]/.test(out))
    run.wrap(`<${mark === '^' ? 'sup' : 'sub'}>`, inner, `</${mark === '^' ? 'sup' : 'sub'}>`);
  else run.wrap(mark, inner, mark);
}

/** Writes the TeX beside the MathML, or the text of the MathML if there is none. */
function renderMath(rendering: Rendering, node: number, run: InlineRun): void {
  const { tape } = rendering;
  const isDisplayed = tape.details.get(node)?.isDisplayed === true;
  for (let at = node + 1; at < (tape.ends[node] as number); at++)
    if (tape.tags[at] === tag.annotation) {
      writeTex(run, codeText(rendering, at), isDisplayed);
      return;
    }
  run.append(escapeInline(codeText(rendering, node).replace(spaces, ' '), false));
}

function writeTex(run: InlineRun, source: string, isDisplayed: boolean): void {
  const tex = source.replace(spaces, ' ').trim();
  if (tex !== '') run.write(isDisplayed ? `$$${tex}$$` : `$${tex}$`);
}

/** Task lists: a checkbox at the start of an item. */
function renderCheckbox(rendering: Rendering, node: number, run: InlineRun): void {
  const box = rendering.tape.details.get(node)?.input;
  const first = run.out === '' && rendering.nesting > 0;
  if (!first || (box !== 'checked' && box !== 'unchecked')) return;
  run.write(box === 'checked' ? '[x]' : '[ ]');
  run.space();
}

/** Abbreviations are spelled out at their first use. */
function renderExpansion(rendering: Rendering, node: number, run: InlineRun): void {
  const expansion = rendering.tape.details.get(node)?.expansion?.replace(spaces, ' ');
  if (!expansion || rendering.expanded.has(expansion)) return;
  rendering.expanded.add(expansion);
  run.space();
  run.write(`(${escapeInline(expansion, false)})`);
}

function leadsWithinPage(tape: Tape, node: number): boolean {
  for (let at = node + 1; at < (tape.ends[node] as number); at++)
    if (tape.tags[at] === tag.a) return tape.details.get(at)?.href?.startsWith('#') ?? false;
  return false;
}

function renderCode(rendering: Rendering, node: number, run: InlineRun): void {
  const text = codeText(rendering, node).replace(spaces, ' ');
  const core = text.trim();
  if (text.startsWith(' ') || (core === '' && text !== '')) run.space();
  if (core !== '') run.write(codeSpan(core));
  if (text.endsWith(' ')) run.space();
}

function renderLink(rendering: Rendering, node: number, run: InlineRun, marks: number): void {
  const inner = new InlineRun();
  const href = (marks & link) === 0 ? rendering.tape.details.get(node)?.href : undefined;
  renderChildren(rendering, node, inner, href === undefined ? marks : marks | link);
  // A heading that links to itself.
  const isOwn = rendering.inHeading && href?.startsWith('#');
  const isAnchor =
    href !== undefined && (anchorSign.test(inner.out) || (isOwn && !/[\p{L}\p{N}]/u.test(inner.out)));
  const target = href === undefined || isAnchor || isOwn ? null : linkTarget(rendering, href);
  if (isAnchor) {
    if (inner.startsSpaced) run.space();
  } else if (target === null) run.wrap('', inner, '');
  else run.wrap('[', inner, `](${target})`);
}

export function linkTarget(rendering: Rendering, href: string): string | null {
  if (href === '' || /^(?:javascript|data|vbscript):/i.test(href)) return null;
  const url = rendering.resolve(href);
  return url === null || rendering.take(url) !== url ? null : bracketed(url);
}

/** Encodes what would end a link target. Matching parentheses may stay. */
function bracketed(url: string): string {
  const tidy = /[\s<>]/.test(url) ? url.replace(/[\s<>]/g, (c) => encodeURIComponent(c)) : url;
  if (!tidy.includes('(') && !tidy.includes(')')) return tidy;
  let depth = 0;
  for (const c of tidy) {
    if (c === '(') depth++;
    if (c === ')' && --depth < 0) break;
  }
  return depth === 0 ? tidy : tidy.replaceAll('(', '%28').replaceAll(')', '%29');
}

function renderImage(rendering: Rendering, node: number, run: InlineRun): void {
  const details = rendering.tape.details.get(node);
  const target = details?.src ? linkTarget(rendering, details.src) : null;
  if (target === null) return;
  const alt = escapeInline((details?.alt ?? '').replace(spaces, ' ').trim(), true);
  run.write(`![${alt}](${target})`);
}
