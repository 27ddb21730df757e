import { limits } from '../limits.ts';
import { hint } from './class-hints.ts';
import { endsParagraph, isBlock, isHeading, isScope, isVoid, maxTags, tag, tagSet } from './html-tag.ts';
import type { Tape } from './tape.ts';

const isCell = (id: number) => id === tag.td || id === tag.th;
const isSection = (id: number) => id === tag.tbody || id === tag.thead || id === tag.tfoot;
const isList = (id: number) => id === tag.ul || id === tag.ol || id === tag.menu || id === tag.dir;
const isTerm = (id: number) => id === tag.dt || id === tag.dd;

/**
 * The stack of open elements, with HTML's implied end tags. Counting open elements by tag makes stray end tags free, and the
 * depth is bounded, so any input takes linear time.
 */
export class OpenElements {
  readonly #nodes = new Int32Array(limits.depth);
  readonly #tags = new Int16Array(limits.depth);
  readonly #open = new Int32Array(maxTags);
  #depth = 0;
  /** Elements beyond the depth limit, whose end tags must not close others. */
  #beyond = 0;
  readonly #tape: Tape;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  /** The innermost open node; -1 at the top. */
  get current(): number {
    return this.#depth === 0 ? -1 : (this.#nodes[this.#depth - 1] as number);
  }

  isOpen(id: number): boolean {
    return (this.#open[id] as number) > 0;
  }

  push(id: number, node: number): void {
    if (isVoid[id] === 1) this.#tape.ends[node] = node + 1;
    else if (this.#depth >= limits.depth) {
      this.#beyond++;
      this.#tape.ends[node] = node + 1;
    } else {
      this.#nodes[this.#depth] = node;
      this.#tags[this.#depth++] = id;
      this.#open[id] = (this.#open[id] as number) + 1;
    }
  }

  /** Closes the elements that this start tag implicitly ends. */
  endImplied(id: number): void {
    if (endsParagraph[id] === 1 && this.isOpen(tag.p)) this.#closeWithin(tag.p, isScope);
    if (isHeading[id] === 1 && this.#depth > 0 && isHeading[this.#tags[this.#depth - 1] as number] === 1)
      this.#popTo(this.#depth - 1);
    else if (id === tag.a && this.isOpen(tag.a)) this.#closeInline(tag.a);
    else if (id === tag.li) this.#closeUntil((other) => other === tag.li, isList);
    else if (isTerm(id)) this.#closeUntil(isTerm, (other) => other === tag.dl);
    else if (isCell(id)) this.#closeUntil(isCell, (other) => other === tag.tr || other === tag.table);
    else if (id === tag.tr) this.#closeUntil((other) => other === tag.tr, isTableOr(isSection));
    else if (isSection(id)) this.#closeUntil(isSection, (other) => other === tag.table);
  }

  close(id: number): void {
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    if (isHeading[id] === 1) {
      this.#closeUntil(
        (other) => isHeading[other] === 1,
        (other) => isScope[other] === 1,
      );
    } else if (!this.isOpen(id)) return;
    else if (isBlock[id] === 1)
      this.#closeWithin(
        id,
        isCell(id) || id === tag.tr || isSection(id) ? onlyTable : id === tag.table ? nothing : isScope,
      );
    else this.#closeInline(id);
  }

  closeAll(): void {
    this.#popTo(0);
  }

  #closeWithin(id: number, scopes: Uint8Array): void {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const other = this.#tags[i] as number;
      if (other === id) {
        this.#popTo(i);
        return;
      }
      if (scopes[other] === 1) return;
    }
  }

  #closeUntil(closes: (id: number) => boolean, stops: (id: number) => boolean): void {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const other = this.#tags[i] as number;
      if (closes(other)) {
        this.#popTo(i);
        return;
      }
      if (stops(other) || other === tag.table) return;
    }
  }

  /**
   * The end of `<b>` must not close a block that began within it. The element leaves the stack, and its node ends with its
   * parent.
   */
  #closeInline(id: number): void {
    let crossed = false;
    for (let i = this.#depth - 1; i >= 0; i--) {
      const other = this.#tags[i] as number;
      if (other === id) {
        if (crossed) this.#remove(i);
        else this.#popTo(i);
        return;
      }
      if (isScope[other] === 1) return;
      if (isBlock[other] === 1) crossed = true;
    }
  }

  #remove(index: number): void {
    const id = this.#tags[index] as number;
    this.#open[id] = (this.#open[id] as number) - 1;
    const node = this.#nodes[index] as number;
    this.#tape.hints[node] = (this.#tape.hints[node] as number) | hint.misnested;
    this.#nodes.copyWithin(index, index + 1, this.#depth);
    this.#tags.copyWithin(index, index + 1, this.#depth);
    this.#depth--;
  }

  #popTo(depth: number): void {
    while (this.#depth > depth) {
      const id = this.#tags[--this.#depth] as number;
      this.#open[id] = (this.#open[id] as number) - 1;
      this.#tape.ends[this.#nodes[this.#depth] as number] = this.#tape.size;
    }
  }
}

const isTableOr = (also: (id: number) => boolean) => (id: number) => id === tag.table || also(id);
const onlyTable = tagSet('table');
const nothing = tagSet();
