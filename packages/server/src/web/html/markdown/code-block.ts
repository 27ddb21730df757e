import { decodeText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isBlock, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import type { RenderedBlock, Rendering } from './rendering.ts';

/** Writes a fenced block with its whitespace, and with its language if the page names it. */
export function renderCodeBlock(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  // HTML ignores a newline right after <pre>.
  const code = codeText(rendering, node).replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (code.trim() === '' || isGutter(rendering.tape, node, code)) return;
  const language = languageOf(rendering, node);
  if (isLabel(blocks.at(-1)?.text ?? '', language)) blocks.pop();
  blocks.push({
    text: rendering.inCell ? codeInCell(code, language) : codeInFences(code, language),
    isList: false,
  });
}

function codeInFences(code: string, language: string): string {
  let longest = 2;
  for (const [, ticks] of code.matchAll(/^[ \t]*(`{3,})/gm))
    longest = Math.max(longest, (ticks as string).length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** Pipe tables have no fences: `<pre>` keeps the lines of a block apart, and code spans keep them exact. */
function codeInCell(code: string, language: string): string {
  const lines = code.split('\n').map((line) => (line.trim() === '' ? '' : codeSpan(line)));
  return `<pre${/^[\w+#.-]+$/.test(language) ? ` lang="${language}"` : ''}>${lines.join('<br>')}</pre>`;
}

/** Code within a line. */
export function codeSpan(code: string): string {
  if (!code.includes('`')) return `\`${code}\``;
  let longest = 0;
  for (const [ticks] of code.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${code} ${fence}`;
}

/** The text of code as written. Some highlighters replace line breaks by an element per line. */
export function codeText(rendering: Rendering, node: number): string {
  const { tape } = rendering;
  const blockEnds: number[] = [];
  let raw = '';
  // Remembered, because reading the end of a growing string copies it.
  let endsLine = true;
  let isNumbered = false;
  const breakLine = () => {
    if (!endsLine) raw += '\n';
    endsLine = true;
  };
  for (let at = node; at < (tape.ends[node] as number); at++) {
    while (blockEnds.length > 0 && (blockEnds.at(-1) as number) <= at) {
      blockEnds.pop();
      breakLine();
    }
    const id = tape.tags[at] as number;
    if (id === textNode) {
      raw += tape.html.slice(tape.starts[at], tape.stops[at]);
      endsLine = tape.html[(tape.stops[at] as number) - 1] === '\n';
    } else if (id === tag.br) {
      raw += '\n';
      endsLine = true;
    } else if (at !== node && (rendering.isGone(at) || isLineNumber(tape, at))) {
      isNumbered ||= !rendering.isGone(at);
      at = (tape.ends[at] as number) - 1;
    } else if (at !== node && isBlock[id] === 1) {
      if (tape.ends[at] === at + 1) raw += '\n';
      breakLine();
      blockEnds.push(tape.ends[at] as number);
    }
  }
  const text = decodeText(rendering.take(raw)).replaceAll('\u00a0', ' ');
  return isNumbered ? withoutMargin(text) : text;
}

/** Drops the space between line numbers and code. */
function withoutMargin(text: string): string {
  const lines = text.split('\n');
  return lines.every((line) => line === '' || line.startsWith(' '))
    ? lines.map((line) => line.slice(1)).join('\n')
    : text;
}

function isLineNumber(tape: Tape, node: number): boolean {
  if (((tape.hints[node] as number) & hint.boilerplate) === 0) return false;
  const end = tape.ends[node] as number;
  if (end - node > 8) return false;
  for (let at = node; at < end; at++)
    if (tape.tags[at] === textNode && !/^[\s\d]*$/.test(tape.html.slice(tape.starts[at], tape.stops[at])))
      return false;
  return true;
}

/** Line numbers in a table cell beside the code: 1, 2, 3 … */
function isGutter(tape: Tape, pre: number, code: string): boolean {
  const lines = code.trim().split(/\s+/);
  const first = Number(lines[0]);
  if (!lines.every((line, index) => line === String(first + index))) return false;
  let cell = tape.parents[pre] as number;
  for (let steps = 0; cell >= 0 && steps < 3 && tape.tags[cell] !== tag.td; steps++)
    cell = tape.parents[cell] as number;
  if (cell < 0 || tape.tags[cell] !== tag.td) return false;
  let next = tape.ends[cell] as number;
  while (next < tape.size && tape.tags[next] === textNode) next++;
  return tape.tags[next] === tag.td && ((tape.holds[next] as number) & holding.code) !== 0;
}

const shortNames: Readonly<Record<string, string>> = {
  'c#': 'csharp', 'c++': 'cpp', bash: 'sh', console: 'sh', html: 'markup', javascript: 'js', markdown: 'md', python: 'py',
  ruby: 'rb', rust: 'rs', shell: 'sh', terminal: 'sh', typescript: 'ts', yaml: 'yml',
}; // biome-ignore format: a list of words

/** Themes show the language above the code. */
function isLabel(text: string, language: string): boolean {
  if (language === '' || text.length > 20) return false;
  const short = (name: string) => shortNames[name] ?? name;
  return short(text.toLowerCase()) === short(language);
}

/** Named by the block, by the elements right inside it, or by those around it. */
function languageOf({ tape }: Rendering, node: number): string {
  const { tags, ends, parents, details } = tape;
  const candidates = [node];
  for (let at = node + 1; at < (ends[node] as number) && at <= node + 3 && tags[at] !== textNode; at++)
    candidates.push(at);
  candidates.push(parents[node] as number, parents[parents[node] as number] ?? -1);
  for (const candidate of candidates) {
    const id = tags[candidate];
    const holdsCode = id === tag.pre || id === tag.code || id === tag.div || id === tag.figure;
    const language = holdsCode ? details.get(candidate)?.language : undefined;
    if (language && !/^(?:default|none|text|plain(?:text)?|txt|nohighlight|no-highlight)$/i.test(language))
      return language.toLowerCase();
  }
  return '';
}
