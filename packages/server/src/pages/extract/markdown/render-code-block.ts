import { tag } from '../tape/html-tag.ts';
import { textContent } from './render-inline.ts';
import type { Rendering } from './rendering.ts';

/** A fenced block: whitespace as written, and the language where the page names it. */
export function renderCodeBlock(rendering: Rendering, node: number): string {
  // HTML drops one newline right after <pre>.
  const code = textContent(rendering, node).replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return '';
  let longest = 2;
  for (const [, ticks] of code.matchAll(/^[ \t]*(`{3,})/gm))
    longest = Math.max(longest, (ticks as string).length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageOf(rendering, node)}\n${code}\n${fence}`;
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
    if (language) return language.toLowerCase();
  }
  return '';
}
