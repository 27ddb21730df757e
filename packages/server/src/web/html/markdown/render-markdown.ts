import { cutText } from '../cut-text.ts';
import { limits } from '../limits.ts';
import { storableText } from '../storable-text.ts';
import type { Tape } from '../tape/tape.ts';
import { joinBlocks, type RenderedBlock, renderBlocks } from './render-blocks.ts';
import { Rendering } from './rendering.ts';

/** Writes the chosen content as markdown; `root` -1 stands for the page. */
export function renderMarkdown(
  tape: Tape,
  root: number,
  resolve: (href: string) => string | null,
  labels?: ReadonlyMap<number, string>,
): { markdown: string; truncated: boolean } {
  const rendering = new Rendering(tape, resolve);
  rendering.labels = labels;
  const blocks: RenderedBlock[] = [];
  renderBlocks(rendering, root, blocks);
  const markdown = joinBlocks(blocks);
  const truncated = rendering.truncated || markdown.length > limits.markdownLength;
  return { markdown: storableText(cutText(markdown, limits.markdownLength)), truncated };
}
