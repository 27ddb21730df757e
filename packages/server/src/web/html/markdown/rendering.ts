import { limits } from '../limits.ts';
import { hint } from '../tape/class-hints.ts';
import type { Tape } from '../tape/tape.ts';

export interface RenderedBlock {
  readonly text: string;
  /** A list follows the line of its item without an empty line between. */
  readonly isList: boolean;
}

export function joinBlocks(blocks: readonly RenderedBlock[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}

type BlockWriter = (rendering: Rendering, node: number, blocks: RenderedBlock[]) => void;

/** State of one rendering, and the way back from lists, tables and quotes to the blocks inside them. */
export class Rendering {
  readonly tape: Tape;
  readonly resolve: (href: string) => string | null;
  /** Labels of tabs, by the panel that each of them shows. */
  readonly labels: ReadonlyMap<number, string> | undefined;
  /** Number of lists and quotes around the current block. */
  nesting = 0;
  /** Target of a link around whole blocks; each line inside repeats it. */
  href: string | undefined;
  inHeading = false;
  /** A table cell is a single line of markdown. */
  inCell = false;
  /** Abbreviations that were spelled out already. */
  readonly expanded = new Set<string>();
  truncated = false;
  readonly #writeBlocks: BlockWriter;
  #room: number = limits.markdownLength;

  constructor(
    tape: Tape,
    resolve: (href: string) => string | null,
    labels: ReadonlyMap<number, string> | undefined,
    writeBlocks: BlockWriter,
  ) {
    this.tape = tape;
    this.resolve = resolve;
    this.labels = labels;
    this.#writeBlocks = writeBlocks;
  }

  isGone(node: number): boolean {
    return ((this.tape.hints[node] as number) & hint.gone) !== 0;
  }

  /** Appends the children of a node as blocks; -1 is the whole page. */
  writeBlocks(node: number, blocks: RenderedBlock[]): void {
    this.#writeBlocks(this, node, blocks);
  }

  /** The children of a node as blocks one level deeper. */
  nested(node: number): RenderedBlock[] {
    this.nesting++;
    const blocks: RenderedBlock[] = [];
    this.writeBlocks(node, blocks);
    this.nesting--;
    return blocks;
  }

  /** Cuts a text to what is left of the limit on a page's markdown. */
  take(text: string): string {
    const room = this.#room;
    // Every level of nesting prefixes each line.
    this.#room -= text.length + 4 * this.nesting;
    if (this.#room >= 0) return text;
    this.truncated = true;
    return text.slice(0, Math.max(0, room));
  }
}
