import { decodeHTMLAttribute } from 'entities';
import { limits } from '../limits.ts';
import { cutText } from '../page-text.ts';

const names = [
  'alt', 'aria-hidden', 'aria-label', 'checked', 'class', 'colspan', 'content', 'data', 'data-hook', 'data-lang',
  'data-language', 'data-price', 'data-qa', 'data-src', 'data-test', 'data-test-id', 'data-testid', 'datetime',
  'disabled', 'display', 'encoding', 'hidden', 'href', 'http-equiv', 'id', 'itemid', 'itemprop', 'itemref', 'itemscope', 'itemtype', 'lang',
  'name', 'prefix', 'property', 'rel', 'required', 'resource', 'role', 'rowspan', 'src', 'start', 'style', 'title', 'type', 'typeof', 'value',
  'xml:lang',
] as const; // biome-ignore format: a list of words

type AttributeName = (typeof names)[number];

/** Attributes that some reader uses, numbered from 1. All others are skipped. */
export const attribute = Object.freeze(
  Object.fromEntries(names.map((name, index) => [name, index + 1])),
) as Readonly<Record<AttributeName, number>>;

const attributeCount = names.length + 1;

const ids = new Map<string, number>(names.map((name, index) => [name, index + 1]));
const longest = Math.max(...names.map((name) => name.length));

export function attributeOf(html: string, start: number, end: number): number {
  if (end - start > longest) return 0;
  const written = html.slice(start, end);
  return ids.get(written) ?? (/[A-Z]/.test(written) ? (ids.get(written.toLowerCase()) ?? 0) : 0);
}

/** The number of an attribute that readers know; 0 for all others. */
export function attributeNamed(name: string): number {
  return ids.get(name) ?? 0;
}

/** Plain arrays: three typed ones would cost 3 µs a page. */
const noPlaces: readonly number[] = new Array<number>(attributeCount).fill(-1);

/** Attributes of the current tag as ranges of the page. A value is cut out and decoded when it is read. */
export class TagAttributes {
  readonly #starts = [...noPlaces];
  readonly #ends = [...noPlaces];
  readonly #present = [...noPlaces];
  #count = 0;
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  clear(): void {
    for (let i = 0; i < this.#count; i++) this.#starts[this.#present[i] as number] = -1;
    this.#count = 0;
  }

  /** Of duplicate attributes the first counts. */
  put(id: number, start: number, end: number): void {
    if ((this.#starts[id] as number) >= 0) return;
    this.#starts[id] = start;
    this.#ends[id] = end;
    this.#present[this.#count++] = id;
  }

  /** By their names, decoded. */
  all(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (let i = 0; i < this.#count; i++) {
      const id = this.#present[i] as number;
      found.set(names[id - 1] as string, this.get(id) as string);
    }
    return found;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  has(id: number): boolean {
    return (this.#starts[id] as number) >= 0;
  }

  get(id: number): string | undefined {
    const start = this.#starts[id] as number;
    if (start < 0) return undefined;
    const value = cutText(this.#html.slice(start, this.#ends[id]), limits.attributeLength);
    return value.includes('&') ? decodeHTMLAttribute(value) : value;
  }
}
