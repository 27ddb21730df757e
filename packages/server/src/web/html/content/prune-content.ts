import { collapseSpace } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { linksOnlyNames } from './evidence.ts';
import { takeFrom } from './remove-boilerplate.ts';

const emptied = 'a heading with no content left';

/** Short lines that introduce links or ask the reader for something, on sites of every kind. */
const leadIn =
  /^(?:related\b|read (?:more|also|next)|also read|more (?:from|on|stories|news)|recommended|you may (?:also )?like|sign up|subscribe|follow us|share this|like this|advert|tags?:|topics?:|filed under|posted in|image \d+ of \d+|continue reading|story continues|photos?:|watch:|video:)|^more(?::|\b.{0,40}\bstories)$/i;
const leadInLength = 120;
const ownWords = 30;
/** Interruptions between the paragraphs of news. */
const advert =
  /^(?:advert|sponsored\b|image \d+ of \d+|(?:article|story) continues|continue reading|story continues)/i;
const advertLength = 60;
const headlineLength = 15;
/** Signatures are longer than the names in them. */
const longestEntry = 1_000;
const mostLabelWords = 4;
const fewestOwn = 3;
/** Characters per word. Sentences stay below, qualified names do not: `java.lang.Object`. */
const longWords = 12;

/**
 * Removes from the chosen content what only leads elsewhere: lists and boxes of links, the lines that introduce them, and
 * headings that end up with nothing below.
 */
export function pruneContent(tape: Tape, root: number, isMain: boolean, headline = -1): void {
  new ContentPruner(tape, root, isMain, headline).prune();
}

class ContentPruner {
  readonly #tape: Tape;
  readonly #root: number;
  readonly #end: number;
  readonly #headline: number;
  readonly #chars: number;
  /** The content consists of links, so they stay. */
  readonly #listOfLinks: boolean;
  /** Links belong to the page unless the line before them says otherwise. */
  readonly #keepsLinks: boolean;
  /** Little prose beside names, types and labels: links to names are what it is about. */
  readonly #isReference: boolean;
  /** The last block of prose. Links after it lead elsewhere. */
  readonly #lastProse: number;
  /** A heading without kept content below it so far. */
  #heading = -1;
  #headingAnnounces = false;
  /** Headings of the first level with nothing below them so far. At the end of a page that has another they are a template. */
  readonly #dangling: number[] = [];
  #hasHeadline = false;
  #prunedBelow = false;
  /** The line before ends with a colon, so what follows belongs to it. */
  #introduced = false;
  /** The line before introduced links. */
  #announced = false;
  /** That line, if it goes only when links follow. */
  #announcement = -1;

  constructor(tape: Tape, root: number, isMain: boolean, headline: number) {
    this.#headline = headline;
    this.#tape = tape;
    this.#keepsLinks = isMain;
    this.#root = root;
    this.#end = root < 0 ? tape.size : (tape.ends[root] as number);
    let linked = 0;
    let chars = 0;
    let prose = 0;
    for (let node = Math.max(root, 0); node < this.#end; node = tape.ends[node] as number) {
      if (this.#isGone(node)) continue;
      chars += tape.chars[node] as number;
      linked += tape.linked[node] as number;
      prose += tape.prose[node] as number;
    }
    this.#chars = chars;
    this.#listOfLinks = linked > 0.35 * chars;
    this.#isReference = prose < 0.3 * chars;
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
    if (this.#heading >= 0 && this.#prunedBelow) this.#dropHeading(this.#heading);
    if (this.#hasHeadline) for (const heading of this.#dangling) this.#dropHeading(heading);
  }

  /** Decides on a block. Returns false if the blocks inside are to be judged one by one. */
  #see(node: number, id: number): boolean {
    if (isHeading[id] === 1) {
      this.#startHeading(node);
      return true;
    }
    if (this.#leadsAway(node, id)) {
      if (this.#announcement >= 0) takeFrom(this.#tape, this.#announcement, 'introduces links');
      this.#announcement = -1;
      takeFrom(this.#tape, node, 'only links');
      this.#prunedBelow = true;
      this.#announced = false;
      return true;
    }
    if (isList(id) || id === tag.pre) {
      this.#keep(node);
      return true;
    }
    if (this.#holds(node, holding.block)) return false;
    if (!this.#announces(node)) this.#keep(node);
    else if (this.#isAdvert(node) || this.#density(node) >= 0.3) {
      takeFrom(this.#tape, node, 'introduces links');
      this.#prunedBelow = true;
      this.#announced = true;
    } else {
      this.#keep(node);
      this.#announced = true;
      this.#announcement = node;
    }
    return true;
  }

  #startHeading(node: number): void {
    const { tags } = this.#tape;
    const before = this.#heading;
    if (before >= 0 && this.#prunedBelow && (tags[before] as number) >= (tags[node] as number))
      this.#dropHeading(before);
    this.#heading = node;
    if (tags[node] === tag.h1) this.#dangling.push(node);
    this.#prunedBelow = false;
    this.#introduced = false;
    this.#headingAnnounces = this.#announces(node);
    this.#announced = this.#headingAnnounces;
  }

  #dropHeading(heading: number): void {
    if (heading !== this.#headline) takeFrom(this.#tape, heading, emptied);
  }

  #leadsAway(node: number, id: number): boolean {
    const { chars, ends } = this.#tape;
    if (node <= this.#headline && this.#headline < (ends[node] as number)) return false;
    if (id === tag.pre || this.#holds(node, holding.code | holding.h1) || this.#fillsCell(node)) return false;
    if (this.#listOfLinks || this.#introduced || (chars[node] as number) > 0.3 * this.#chars) return false;
    // Above the headline links lead to other parts of the site.
    if ((ends[node] as number) <= this.#headline)
      return this.#density(node) >= (this.#labelsHeadline(node) ? 0.75 : 0.4);
    if (this.#isReference && linksOnlyNames(this.#tape, node, longestEntry)) return false;
    // A section is judged by its parts, because its heading says what the links are.
    if (this.#holds(node, holding.heading) && !isList(id) && !isPart(id)) return false;
    const density = this.#density(node);
    if (this.#announced)
      return density >= 0.3 && !(isRow(id) && linksOnlyNames(this.#tape, node, longestEntry));
    if (this.#keepsLinks || this.#heading >= 0 || id === tag.dl) return false;
    if (node > this.#lastProse && !isPart(id)) return density >= 0.5 && !this.#tellsOfNames(node);
    if (id === tag.p || isPart(id)) return false;
    return density >= 0.75 && !this.#isShortList(node, id) && this.#linksHeadlines(node);
  }

  /** A line directly above the headline: "Package java.lang". */
  #labelsHeadline(node: number): boolean {
    const { parents, words } = this.#tape;
    return parents[node] === parents[this.#headline] && (words[node] as number) <= mostLabelWords;
  }

  /** "Text = unicode:chardata()" says something of the name it links. */
  #tellsOfNames(node: number): boolean {
    const { chars, linked } = this.#tape;
    const own = (chars[node] as number) - (linked[node] as number);
    return (
      own >= fewestOwn &&
      own >= 0.1 * (chars[node] as number) &&
      linksOnlyNames(this.#tape, node, leadInLength)
    );
  }

  /** A table would show an empty cell in its place. */
  #fillsCell(node: number): boolean {
    const { tags, chars, parents } = this.#tape;
    const parent = parents[node] as number;
    return parent >= 0 && isCell(tags[parent] as number) && chars[parent] === chars[node];
  }

  /** Links to other stories repeat their headlines, sentences nearly; those of a reference name things. */
  #linksHeadlines(node: number): boolean {
    const { tags, ends, linked, chars, words, details } = this.#tape;
    let links = 0;
    for (let at = node; at < (ends[node] as number); at++)
      if (tags[at] === tag.a && details.get(at)?.href !== undefined) links++;
    const isNames = (chars[node] as number) >= longWords * (words[node] as number);
    return (linked[node] as number) >= headlineLength * links && !isNames;
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
    if (this.#dangling.length > 0) this.#hasHeadline = true;
    this.#dangling.length = 0;
    if (this.#heading >= 0 && this.#headingAnnounces && this.#prunedBelow) this.#dropHeading(this.#heading);
    this.#heading = -1;
    this.#announced = false;
    this.#announcement = -1;
    this.#introduced = this.#endsWithColon(node);
  }

  #density(node: number): number {
    return (this.#tape.linked[node] as number) / (this.#tape.chars[node] as number);
  }

  #announces(node: number): boolean {
    if ((this.#tape.chars[node] as number) > leadInLength) return false;
    const text = this.#textOf(node);
    return leadIn.test(text) && !this.#isSentence(node, text);
  }

  /** "Read more about the keyword introduced in version 5.2." has words of its own around its links. */
  #isSentence(node: number, text: string): boolean {
    const unlinked = (this.#tape.chars[node] as number) - (this.#tape.linked[node] as number);
    return text.endsWith('.') && unlinked >= ownWords && this.#density(node) >= 0.3;
  }

  #isAdvert(node: number): boolean {
    return (this.#tape.chars[node] as number) <= advertLength && advert.test(this.#textOf(node));
  }

  #textOf(node: number): string {
    let text = '';
    for (let at = node; at < (this.#tape.ends[node] as number); at++)
      if (this.#tape.tags[at] === textNode)
        text += this.#tape.html.slice(this.#tape.starts[at], this.#tape.stops[at]);
    return collapseSpace(text);
  }

  #endsWithColon(node: number): boolean {
    const { tags, ends, chars, html, starts, stops } = this.#tape;
    for (let at = (ends[node] as number) - 1; at >= node; at--)
      if (tags[at] === textNode && (chars[at] as number) > 0)
        return html.slice(starts[at], stops[at]).trimEnd().endsWith(':');
    return false;
  }

  #findLastProse(): number {
    const { tags, ends, prose, chars, linked } = this.#tape;
    let last = -1;
    for (let node = this.#root + 1; node < this.#end; node++) {
      if (this.#isGone(node)) node = (ends[node] as number) - 1;
      // Text between blocks counts as well.
      else if (tags[node] === textNode && (chars[node] as number) >= 60 && linked[node] === 0) last = node;
      else if (
        isBlock[tags[node] as number] === 1 &&
        !this.#holds(node, holding.block) &&
        (prose[node] as number) >= 40
      )
        last = node;
    }
    return last;
  }

  #holds(node: number, what: number): boolean {
    return ((this.#tape.holds[node] as number) & what) !== 0;
  }

  #isGone(node: number): boolean {
    return ((this.#tape.hints[node] as number) & hint.gone) !== 0;
  }
}

/** Kept or removed as a whole. */
function isList(id: number): boolean {
  return id === tag.ul || id === tag.ol || id === tag.dl;
}

function isCell(id: number): boolean {
  return id === tag.td || id === tag.th;
}

function isRow(id: number): boolean {
  return isCell(id) || id === tag.tr;
}

/** Judged with the list or table around. */
function isPart(id: number): boolean {
  return isCell(id) || id === tag.li || id === tag.tr || id === tag.dd || id === tag.dt;
}
