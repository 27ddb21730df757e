export interface Section {
  /** The headings above it, highest level first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Enough for a model to embed as a whole, in characters. */
const maxLength = 2_000;

/** Splits a page at its headings, and long sections between paragraphs. Code blocks stay whole. */
export function chunkMarkdown(markdown: string): Section[] {
  const sections: Section[] = [];
  let headings: { level: number; text: string }[] = [];
  let blocks: string[] = [];
  const flush = () => {
    const path = headings.map(({ text }) => text);
    for (const text of joined(blocks)) sections.push({ headings: path, text });
    blocks = [];
  };
  for (const block of blocksOf(markdown)) {
    const [, marks, title] = /^(#{1,6}) +(.+)$/.exec(block) ?? [];
    if (marks === undefined || title === undefined) {
      blocks.push(block);
      continue;
    }
    flush();
    const level = marks.length;
    headings = [...headings.filter((above) => above.level < level), { level, text: plain(title) }];
  }
  flush();
  return sections;
}

/** Blocks separated by empty lines; empty lines inside a fence do not count. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const [, mark] = /^\s*(`{3,})/.exec(line) ?? [];
    if (fence === undefined) fence = mark;
    else if (mark === fence) fence = undefined;
    const isHeading = fence === undefined && /^#{1,6} /.test(line);
    if (isHeading || (fence === undefined && line.trim() === '')) flush();
    if (line.trim() !== '' || fence !== undefined) lines.push(line);
    if (isHeading) flush();
  }
  flush();
  return blocks;
}

function joined(blocks: readonly string[]): string[] {
  const texts: string[] = [];
  let text = '';
  for (const block of blocks) {
    if (text !== '' && text.length + block.length > maxLength) {
      texts.push(text);
      text = '';
    }
    text += text === '' ? block : `\n\n${block}`;
  }
  if (text !== '') texts.push(text);
  return texts;
}

/** A heading without links and marks. */
function plain(title: string): string {
  return title
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`\\]/g, '')
    .trim();
}
