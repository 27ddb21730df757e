import type { LeftOutReason } from '../extracted-page.ts';
import type { MicrodataAttributes } from './microdata-attributes.ts';

/** What the content pass needs besides tag and hints; most elements have no details. */
export interface NodeDetails {
  readonly href?: string | undefined;
  readonly src?: string | undefined;
  readonly alt?: string | undefined;
  /** Of a code block, from its class or data attribute. */
  readonly language?: string | undefined;
  /** Of an element whose id alone suggests boilerplate. */
  readonly id?: string | undefined;
  /** Of an ordered list. */
  readonly start?: number | undefined;
  readonly colspan?: number | undefined;
  readonly rowspan?: number | undefined;
  /** A table with role=presentation. */
  readonly isLayout?: boolean;
  /** Of an input. */
  readonly input?: 'checked' | 'unchecked' | 'choice' | undefined;
  /** Of `abbr`: its long form. */
  readonly expansion?: string | undefined;
  /** A formula in display mode. */
  readonly isDisplayed?: boolean;
  readonly microdata?: MicrodataAttributes | undefined;
}

/** What an element contains at any depth. */
export const holding = {
  block: 1,
  h1: 2,
  code: 4,
  /** A button, an input or a form. */
  control: 8,
  /** A heading that does not link to another page. */
  heading: 16,
} as const;

const initialNodes = 4_096;

/**
 * The page as a flat list of elements and texts in document order, instead of a tree of objects. A subtree is the range from a
 * node to its end, and parents precede their children: a backward loop sums subtrees, and depth costs no stack. The columns
 * are reused from page to page, because allocating them costs 0.1 ms.
 */
export class Tape {
  size = 0;
  tags = new Int16Array(initialNodes);
  parents = new Int32Array(initialNodes);
  /** The first node after the subtree. */
  ends = new Int32Array(initialNodes);
  hints = new Int32Array(initialNodes);
  /** Of a text: its range in the page. */
  starts = new Int32Array(initialNodes);
  stops = new Int32Array(initialNodes);
  /** Characters without white space, and words. `measureTape` sums them over subtrees. */
  chars = new Int32Array(initialNodes);
  words = new Int32Array(initialNodes);
  /** Set by `measureTape`: characters within links, weight of prose, contents (`holding`). */
  linked = new Int32Array(initialNodes);
  prose = new Int32Array(initialNodes);
  holds = new Uint8Array(initialNodes);
  details = new Map<number, NodeDetails>();
  /** Why a node was removed; undefined unless asked for. */
  reasons: Map<number, LeftOutReason> | undefined;
  /** The page may have tabs. */
  mayHaveTabs = false;
  /** The page has elements named as lines. */
  mayHaveLines = false;
  html = '';

  clear(html: string): void {
    if (this.tags.length > 1 << 18) this.#resize(initialNodes, 0);
    this.size = 0;
    this.details.clear();
    this.mayHaveTabs = false;
    this.mayHaveLines = false;
    this.reasons = undefined;
    this.html = html;
  }

  add(tag: number, parent: number, hints: number): number {
    const node = this.size++;
    if (node >= this.tags.length) this.#resize(this.tags.length * 2, node);
    this.tags[node] = tag;
    this.parents[node] = parent;
    this.ends[node] = 0;
    this.hints[node] = hints;
    this.chars[node] = 0;
    this.words[node] = 0;
    this.linked[node] = 0;
    this.prose[node] = 0;
    this.holds[node] = 0;
    return node;
  }

  #resize(capacity: number, kept: number): void {
    const tags = new Int16Array(capacity);
    tags.set(this.tags.subarray(0, kept));
    this.tags = tags;
    const holds = new Uint8Array(capacity);
    holds.set(this.holds.subarray(0, kept));
    this.holds = holds;
    for (const column of [
      'parents',
      'ends',
      'hints',
      'starts',
      'stops',
      'chars',
      'words',
      'linked',
      'prose',
    ] as const) {
      const grown = new Int32Array(capacity);
      grown.set(this[column].subarray(0, kept));
      this[column] = grown;
    }
  }
}
