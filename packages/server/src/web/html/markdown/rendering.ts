import { hint } from '../content/class-hints.ts';
import { limits } from '../limits.ts';
import type { Tape } from '../tape/tape.ts';

/** What the functions that write markdown share. */
export class Rendering {
  readonly tape: Tape;
  readonly resolve: (href: string) => string | null;
  /** Lists and quotes around the block at hand. */
  nesting = 0;
  /** Of a link that holds whole blocks: the lines inside carry it. */
  href: string | undefined;
  inHeading = false;
  /** What the tab of a panel says. */
  labels: ReadonlyMap<number, string> | undefined;
  readonly expanded = new Set<string>();
  truncated = false;
  #room: number = limits.markdownLength;

  constructor(tape: Tape, resolve: (href: string) => string | null) {
    this.tape = tape;
    this.resolve = resolve;
  }

  isGone(node: number): boolean {
    return ((this.tape.hints[node] as number) & hint.gone) !== 0;
  }

  /** As much of a text as there is room for. */
  take(text: string): string {
    const room = this.#room;
    // Each level of nesting writes its marks before every line.
    this.#room -= text.length + 4 * this.nesting;
    if (this.#room >= 0) return text;
    this.truncated = true;
    return text.slice(0, Math.max(0, room));
  }
}
