import { tag } from '../tape/html-tag.ts';
import { codeText, isGutter } from './code-text.ts';
import type { RenderedBlock } from './render-blocks.ts';
import type { Rendering } from './rendering.ts';

/** A fenced block: whitespace as written, and the language where the page names it. */
export function renderCodeBlock(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  // HTML drops one newline right after <pre>.
  const code = codeText(rendering, node).replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (code.trim() === '' || isGutter(rendering.tape, node, code)) return;
  const language = languageOf(rendering, node);
  if (isLabel(blocks.at(-1)?.text ?? '', language)) blocks.pop();
  let longest = 2;
  for (const [, ticks] of code.matchAll(/^[ \t]*(`{3,})/gm))
    longest = Math.max(longest, (ticks as string).length);
  const fence = '`'.repeat(longest + 1);
  blocks.push({ text: `${fence}${language}\n${code}\n${fence}`, isList: false });
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

function languageOf({ tape }: Rendering, node: number): string {
  const candidates = [
    node,
    node + 1,
    tape.parents[node] as number,
    tape.parents[tape.parents[node] as number] ?? -1,
  ];
  for (const candidate of candidates) {
    const id = tape.tags[candidate];
    const holdsCode = id === tag.pre || id === tag.code || id === tag.div || id === tag.figure;
    const language = holdsCode ? tape.details.get(candidate)?.language : undefined;
    if (language && !/^(?:default|none|text|plain(?:text)?|txt|nohighlight|no-highlight)$/i.test(language))
      return language.toLowerCase();
  }
  return '';
}
