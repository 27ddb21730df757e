import type { LeftOutReason } from '../extracted-page.ts';
import type { MicrodataAttributes } from './microdata-attributes.ts';

/** What the content pass needs of an element beyond its tag and hints; most elements have none. */
export interface NodeDetails {
  readonly href?: string | undefined;
  readonly src?: string | undefined;
  readonly alt?: string | undefined;
  /** Of a code block, as its class or data attribute names it. */
  readonly language?: string | undefined;
  /** Of an element that may be boilerplate by its id alone. */
  readonly id?: string | undefined;
  /** Of an ordered list. */
  readonly start?: number | undefined;
  readonly colspan?: number | undefined;
  readonly rowspan?: number | undefined;
  /** A table that says of itself that it holds no data. */
  readonly isLayout?: boolean;
  /** Of an input. */
  readonly input?: 'checked' | 'unchecked' | 'choice' | undefined;
  /** Of `abbr`: what it is short for. */
  readonly expansion?: string | undefined;
  /** A formula that stands in a line of its own. */
  readonly isDisplayed?: boolean;
  readonly microdata?: MicrodataAttributes | undefined;
}

/** What stands somewhere inside an element. */
export const holding = {
  block: 1,
  h1: 2,
  code: 4,
  /** A button, an input, a form: something to be used, not read. */
  control: 8,
  /** A heading that is no link to somewhere else. */
  heading: 16,
} as const;

const initialNodes = 4_096;

/**
 * The page as a flat list of elements and runs of text in document order: no tree of objects. A node's subtree is the
 * stretch from it to its end, and a parent always stands before its children, so sums over subtrees are one loop
 * backwards and depth costs no stack. The columns are reused from page to page: a new set costs 0.1 ms in allocation
 * and collection.
 */
export class Tape {
  size = 0;
  tags = new Int16Array(initialNodes);
  parents = new Int32Array(initialNodes);
  /** The node after the subtree. */
  ends = new Int32Array(initialNodes);
  hints = new Int32Array(initialNodes);
  /** Of a run of text: where it stands in the page. */
  starts = new Int32Array(initialNodes);
  stops = new Int32Array(initialNodes);
  /** Characters that are not space, and words; of an element, after `measureTape`, those of its subtree. */
  chars = new Int32Array(initialNodes);
  words = new Int32Array(initialNodes);
  /** After `measureTape`: characters within links; text that reads as prose; what stands inside (`holding`). */
  linked = new Int32Array(initialNodes);
  prose = new Int32Array(initialNodes);
  holds = new Uint8Array(initialNodes);
  details = new Map<number, NodeDetails>();
  /** Why a node is left out of the content; undefined where nobody asks. */
  reasons: Map<number, LeftOutReason> | undefined;
  /** The page has something that may be a tab. */
  mayHaveTabs = false;
  html = '';

  clear(html: string): void {
    if (this.tags.length > 1 << 18) this.#resize(initialNodes, 0);
    this.size = 0;
    this.details.clear();
    this.mayHaveTabs = false;
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
