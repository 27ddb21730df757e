export interface MarkdownParts {
  /** Without marks, addresses and escapes. */
  readonly text: string;
  readonly headings: readonly string[];
  readonly codeBlocks: number;
  readonly tables: number;
  readonly superscripts: readonly string[];
}

const unicodeSuperscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Reads our markdown back, as far as the measures need it. */
export function readMarkdown(markdown: string): MarkdownParts {
  const text: string[] = [];
  const headings: string[] = [];
  const superscripts: string[] = [];
  let codeBlocks = 0;
  let tables = 0;
  let fence = '';
  for (const line of markdown.split('\n')) {
    const bare = line.replace(/^(?:\s|>|[-*+] |\d+[.)] )*/, '');
    const ticks = /^`{3,}/.exec(bare)?.[0] ?? '';
    if (fence !== '') {
      if (ticks !== '' && ticks.length >= fence.length && bare.trim() === ticks) fence = '';
      else text.push(line);
      continue;
    }
    if (ticks !== '') {
      fence = ticks;
      codeBlocks++;
      continue;
    }
    if (/^\|(?:\s*:?-+:?\s*\|)+$/.test(bare)) {
      tables++;
      continue;
    }
    for (const [, raised] of line.matchAll(/(?:\^([^^\s]+)\^|<sup>(.*?)<\/sup>)/g))
      superscripts.push(raised ?? '');
    for (const [run] of line.matchAll(/[⁰¹²³⁴-⁹]+/gu))
      superscripts.push([...run].map((digit) => unicodeSuperscripts.indexOf(digit)).join(''));
    // Pipe tables have no fences.
    if (bare.startsWith('|')) codeBlocks += line.match(/<pre\b/g)?.length ?? 0;
    const plain = plainText(bare.startsWith('#') ? line : bare);
    const heading = /^#{1,6} (.*)$/.exec(bare);
    if (heading !== null) headings.push(normalised(plainText(heading[1] ?? '')));
    text.push(plain);
  }
  return { text: text.join('\n'), headings: headings.filter(Boolean), codeBlocks, tables, superscripts };
}

/** Code within the text of a link may have brackets. */
const link = /!?\[((?:\\.|`[^`]*`|[^\]\\`])*)\]\((?:\\.|[^()\\]|\([^()]*\))*\)/g;

function plainText(line: string): string {
  return line
    .replace(link, '$1')
    .replace(link, '$1')
    .replace(/<\/?(?:br|pre(?: lang="[^"]*")?)>/g, ' ')
    .replace(/<\/?su[bp]>/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[⁰¹²³⁴-⁹]/gu, (digit) => String(unicodeSuperscripts.indexOf(digit)));
}

/** Headings are compared by their words. */
export function normalised(text: string): string {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ').toLowerCase();
}
