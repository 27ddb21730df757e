import { collapseSpace } from '../page-text.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { hint } from './hints.ts';
import { takeFrom } from './remove-boilerplate.ts';

/** Short lines that introduce links or ask the reader for something, on sites of every kind. */
const leadIn =
  /^(?:related\b|read (?:more|also|next)|also read|see also|more (?:from|on|stories|news)|recommended|you may (?:also )?like|sign up|subscribe|follow us|share this|like this|advert|tags?:|topics?:|filed under|posted in|image \d+ of \d+|continue reading|story continues|photos?:|watch:|video:)|^more(?::|\b.{0,40}\bstories)$/i;
const leadInLength = 120;

/**
 * Removes from the chosen content what only leads elsewhere: lists and boxes of links, the lines that introduce them, and
 * headings that end up with nothing below.
 */
export function pruneContent(tape: Tape, root: number, isMain: boolean, keepsLinks: boolean): void {
  new ContentPruner(tape, root, isMain, keepsLinks).prune();
}

class ContentPruner {
  readonly #tape: Tape;
  readonly #root: number;
  readonly #end: number;
  readonly #chars: number;
  /** The content consists of links, so they stay. */
  readonly #listOfLinks: boolean;
  /** Links belong to the page unless the line before them says otherwise. */
  readonly #keepsLinks: boolean;
  /** A list of links under a heading of its own is content. */
  readonly #keepsLists: boolean;
  /** The last block of prose. Links after it lead elsewhere. */
  readonly #lastProse: number;
  /** A heading without kept content below it so far. */
  #heading = -1;
  #headingAnnounces = false;
  #prunedBelow = false;
  /** The line before ends with a colon, so what follows belongs to it. */
  #introduced = false;
  /** The line before introduced links. */
  #announced = false;

  constructor(tape: Tape, root: number, isMain: boolean, keepsLinks: boolean) {
    this.#tape = tape;
    this.#keepsLists = keepsLinks;
    this.#keepsLinks = isMain && keepsLinks;
    this.#root = root;
    this.#end = root < 0 ? tape.size : (tape.ends[root] as number);
    let linked = 0;
    let chars = 0;
    for (let node = Math.max(root, 0); node < this.#end; node = tape.ends[node] as number) {
      if (this.#isGone(node)) continue;
      chars += tape.chars[node] as number;
      linked += tape.linked[node] as number;
    }
    this.#chars = chars;
    this.#listOfLinks = linked > 0.5 * chars;
    this.#lastProse = this.#findLastProse();
  }

  prune(): void {
    const { tags, ends, chars } = this.#tape;
    for (let node = this.#root + 1; node < this.#end; node++) {
      const id = tags[node] as number;
      if (id === textNode) {
        if ((chars[node] as number) > 0) this.#keep(node);
      } else if (this.#isGone(node)) {
        this.#prunedBelow = true;
        node = (ends[node] as number) - 1;
      } else if (isBlock[id] === 1 && (chars[node] as number) > 0 && this.#see(node, id))
        node = (ends[node] as number) - 1;
    }
    if (this.#heading >= 0 && this.#prunedBelow) takeFrom(this.#tape, this.#heading);
  }

  /** Decides on a block. Returns false if the blocks inside are to be judged one by one. */
  #see(node: number, id: number): boolean {
    if (isHeading[id] === 1) {
      this.#startHeading(node);
      return true;
    }
    if (this.#leadsAway(node, id)) {
      takeFrom(this.#tape, node);
      this.#prunedBelow = true;
      this.#announced = false;
      return true;
    }
    if (isList(id)) {
      this.#keep(node);
      return true;
    }
    if (this.#tape.holds[node] === 1) return false;
    if (this.#announces(node)) {
      takeFrom(this.#tape, node);
      this.#prunedBelow = true;
      this.#announced = true;
    } else this.#keep(node);
    return true;
  }

  #startHeading(node: number): void {
    const { tags } = this.#tape;
    const before = this.#heading;
    if (before >= 0 && this.#prunedBelow && (tags[before] as number) >= (tags[node] as number))
      takeFrom(this.#tape, before);
    this.#heading = node;
    this.#prunedBelow = false;
    this.#introduced = false;
    this.#headingAnnounces = this.#announces(node);
    this.#announced = this.#headingAnnounces;
  }

  #leadsAway(node: number, id: number): boolean {
    const { chars, linked } = this.#tape;
    if (this.#listOfLinks || this.#introduced || (chars[node] as number) > 0.3 * this.#chars) return false;
    const density = (linked[node] as number) / (chars[node] as number);
    if (this.#announced) return density >= 0.3;
    if (this.#keepsLinks || (this.#keepsLists && isList(id) && this.#heading >= 0)) return false;
    if (node > this.#lastProse && !isPart(id)) return density >= 0.5;
    if (id === tag.p || isPart(id) || this.#heading >= 0) return false;
    return density >= 0.75 && !this.#isShortList(node, id);
  }

  /** One or two links within a text belong to it: "Buy it here". */
  #isShortList(node: number, id: number): boolean {
    if (id !== tag.ul && id !== tag.ol) return false;
    const { tags, ends } = this.#tape;
    let items = 0;
    for (let child = node + 1; child < (ends[node] as number); child = ends[child] as number)
      if (tags[child] === tag.li) items++;
    return items < 3;
  }

  #keep(node: number): void {
    if (this.#heading >= 0 && this.#headingAnnounces && this.#prunedBelow)
      takeFrom(this.#tape, this.#heading);
    this.#heading = -1;
    this.#announced = false;
    this.#introduced = this.#endsWithColon(node);
  }

  #announces(node: number): boolean {
    if ((this.#tape.chars[node] as number) > leadInLength) return false;
    let text = '';
    for (let at = node; at < (this.#tape.ends[node] as number); at++)
      if (this.#tape.tags[at] === textNode)
        text += this.#tape.html.slice(this.#tape.starts[at], this.#tape.stops[at]);
    return leadIn.test(collapseSpace(text));
  }

  #endsWithColon(node: number): boolean {
    const { tags, ends, chars, html, starts, stops } = this.#tape;
    for (let at = (ends[node] as number) - 1; at >= node; at--)
      if (tags[at] === textNode && (chars[at] as number) > 0)
        return html.slice(starts[at], stops[at]).trimEnd().endsWith(':');
    return false;
  }

  #findLastProse(): number {
    const { tags, ends, prose, holds, chars, linked } = this.#tape;
    let last = -1;
    for (let node = this.#root + 1; node < this.#end; node++) {
      if (this.#isGone(node)) node = (ends[node] as number) - 1;
      // Text between blocks counts as well.
      else if (tags[node] === textNode && (chars[node] as number) >= 60 && linked[node] === 0) last = node;
      else if (isBlock[tags[node] as number] === 1 && holds[node] === 0 && (prose[node] as number) >= 40)
        last = node;
    }
    return last;
  }

  #isGone(node: number): boolean {
    return ((this.#tape.hints[node] as number) & hint.gone) !== 0;
  }
}

/** Kept or removed as a whole. */
function isList(id: number): boolean {
  return id === tag.ul || id === tag.ol || id === tag.dl;
}

/** Judged with the list or table around. */
function isPart(id: number): boolean {
  return id === tag.li || id === tag.td || id === tag.th || id === tag.tr || id === tag.dd || id === tag.dt;
}
