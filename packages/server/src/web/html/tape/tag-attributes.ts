import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { cutText } from '../cut-text.ts';
import { limits } from '../limits.ts';
import { attributeCount } from './attribute.ts';

/** Plain arrays: three typed ones cost 3 µs a page to make. */
const noPlaces: readonly number[] = new Array<number>(attributeCount).fill(-1);

/** The attributes of the tag being read, as places in the page: only what a reader asks for is cut out and decoded. */
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

  /** The first of two attributes of one name counts. */
  put(id: number, start: number, end: number): void {
    if ((this.#starts[id] as number) >= 0) return;
    this.#starts[id] = start;
    this.#ends[id] = end;
    this.#present[this.#count++] = id;
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

export function decodeText(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}
