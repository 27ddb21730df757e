import { hint } from '../tape/class-hints.ts';
import { tagName, textNode } from '../tape/html-tag.ts';
import type { TagAttributes } from '../tape/tag-attributes.ts';
import type { Tape } from '../tape/tape.ts';
import { matches, readAttributes, type SeenElement, type Selectors } from './selector.ts';

/** Finds the selected elements of one page while it is read, and applies them to its tape. */
export class Selection {
  readonly #selectors: Selectors;
  readonly #seen = new Map<number, SeenElement>();
  /** The last element under each parent. */
  readonly #last = new Map<number, SeenElement>();
  readonly #included: number[] = [];
  readonly #excluded: number[] = [];

  constructor(selectors: Selectors) {
    this.#selectors = selectors;
  }

  open(node: number, id: number, parent: number, attributes: TagAttributes): void {
    const element: SeenElement = {
      name: tagName(id),
      attributes: readAttributes(attributes),
      parent: this.#seen.get(parent),
      before: this.#last.get(parent),
      known: new Map(),
    };
    this.#seen.set(node, element);
    this.#last.set(parent, element);
    const { include, exclude } = this.#selectors;
    if (include.some((selector) => matches(selector, element))) this.#included.push(node);
    if (exclude.some((selector) => matches(selector, element))) this.#excluded.push(node);
  }

  /** Empties what is not selected, before the page is measured. */
  apply(tape: Tape): void {
    for (const node of this.#excluded) remove(tape, node, tape.ends[node] as number);
    if (this.#selectors.include.length === 0) return;
    let from = 0;
    for (const node of this.#included) {
      if (node >= from) removeBetween(tape, from, node);
      from = Math.max(from, tape.ends[node] as number);
    }
    removeBetween(tape, from, tape.size);
  }

  /** What is included is taken whole. */
  get isExact(): boolean {
    return this.#selectors.include.length > 0;
  }
}

/** Texts and whole elements between two nodes; those that begin here and hold the second one stay. */
function removeBetween(tape: Tape, from: number, to: number): void {
  for (let node = from; node < to; node++) {
    const end = tape.ends[node] as number;
    if (end > to) continue;
    remove(tape, node, end);
    node = end - 1;
  }
}

function remove(tape: Tape, from: number, end: number): void {
  for (let node = from; node < end; node++) {
    tape.chars[node] = 0;
    tape.words[node] = 0;
    if (tape.tags[node] === textNode) tape.stops[node] = tape.starts[node] as number;
    else {
      tape.hints[node] = (tape.hints[node] as number) | hint.gone;
      tape.reasons?.set(node, 'not selected');
    }
  }
}
