import { hint } from '../tape/class-hints.ts';
import { isBlock, tag, tagSet, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';

/** What shows up over the page or asks for something, however unique. */
const isBesides = tagSet('button', 'select', 'label', 'option', 'datalist', 'object', 'title', 'legend');
const besides =
  hint.surely | hint.boilerplate | hint.comments | hint.consent | hint.dialog | hint.aside | hint.gone;
/** Shorter text is a message to come: "Copied!", "Loading". */
const fewestChars = 30;
const fewestWords = 4;
/** Within a line of text a hidden part must be a passage, not a sign or a word for screen readers. */
const passageChars = 60;
/** Of the hidden text's runs of words. */
const leastNew = 0.5;
/** Names of values in templates that a script fills in. */
const placeholder = /\{\{|\{%|<%|\$\{|\{\w{1,30}\}|%\w{1,30}%|\[\[/;

/**
 * Panels of tabs, folded answers and "show more" are hidden until asked for. They are content if the page does not show the same
 * text elsewhere. Menus, dialogs, forms and templates stay hidden: they lead away, have controls, or are named as such.
 */
export function revealOnlyCopies(tape: Tape): void {
  const candidates = findCandidates(tape);
  if (candidates.length === 0) return;
  const shown = new Runs(tape);
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] === textNode) shown.add(node);
    else if (isHidden(tape, node)) node = (tape.ends[node] as number) - 1;
  }
  for (const node of candidates) if (shown.addNew(node)) reveal(tape, node);
}

function findCandidates(tape: Tape): number[] {
  const { tags, hints, ends, size } = tape;
  const found: number[] = [];
  for (let node = 0; node < size; node++) {
    const id = tags[node] as number;
    if (id === textNode) continue;
    const flags = hints[node] as number;
    const isOutermost = (flags & hint.hidden) !== 0;
    const isSkipped = isBesides[id] === 1 || (flags & (hint.surely | hint.consent)) !== 0;
    if (!isOutermost && !isSkipped) continue;
    if (isOutermost && !isSkipped && mayBeContent(tape, node, id, flags)) found.push(node);
    node = (ends[node] as number) - 1;
  }
  return found;
}

function mayBeContent(tape: Tape, node: number, id: number, flags: number): boolean {
  const { chars, words, linked, holds } = tape;
  if ((flags & besides) !== 0) return false;
  const text = chars[node] as number;
  const isInline = isBlock[id] !== 1;
  if (isInline && ((flags & hint.unspoken) !== 0 || text < passageChars)) return false;
  if (text < fewestChars || (words[node] as number) < fewestWords) return false;
  if (((holds[node] as number) & holding.control) !== 0) return false;
  if ((linked[node] as number) >= 0.4 * text) return false;
  return !isTemplate(tape, node);
}

function isTemplate({ tags, ends, html, starts, stops }: Tape, node: number): boolean {
  for (let at = node; at < (ends[node] as number); at++) {
    if (tags[at] === tag.pre || tags[at] === tag.code) at = (ends[at] as number) - 1;
    else if (tags[at] === textNode && placeholder.test(html.slice(starts[at], stops[at]))) return true;
  }
  return false;
}

function isHidden(tape: Tape, node: number): boolean {
  return ((tape.hints[node] as number) & hint.hidden) !== 0;
}

/** With all inside, such as the folded parts of a folded part. */
function reveal({ tags, hints, ends }: Tape, node: number): void {
  for (let at = node; at < (ends[node] as number); at++)
    if (tags[at] !== textNode) hints[at] = (hints[at] as number) & ~hint.hidden;
}

/** Hashes of three words in a row, as the page has them. */
class Runs {
  readonly #tape: Tape;
  readonly #known = new Set<number>();
  /** Words before, across elements. */
  #before = 0;
  #beforeThat = 0;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  add(text: number): void {
    this.#read(text, (run) => this.#known.add(run));
  }

  /** Whether most of an element's text is new. What is new is known from then on. */
  addNew(node: number): boolean {
    const { tags, ends } = this.#tape;
    const runs: number[] = [];
    this.#before = 0;
    this.#beforeThat = 0;
    for (let at = node; at < (ends[node] as number); at++)
      if (tags[at] === textNode) this.#read(at, (run) => runs.push(run));
    const fresh = runs.filter((run) => !this.#known.has(run)).length;
    if (fresh === 0 || fresh < leastNew * runs.length) return false;
    for (const run of runs) this.#known.add(run);
    return true;
  }

  #read(text: number, see: (run: number) => void): void {
    const { html, starts, stops } = this.#tape;
    const stop = stops[text] as number;
    let word = 0;
    for (let at = starts[text] as number; at <= stop; at++) {
      const code = at < stop ? html.charCodeAt(at) : 32;
      const isIdeograph = code >= 0x3040 && code <= 0x9fff;
      const isPart = code >= 128 ? code !== 160 : isAlphanumeric(code);
      if (isPart) word = (Math.imul(word, 31) + (code < 128 ? code | 32 : code)) | 0;
      if ((isPart && !isIdeograph) || word === 0) continue;
      if (this.#beforeThat !== 0) see(Math.imul(Math.imul(this.#beforeThat, 31) + this.#before, 31) + word);
      this.#beforeThat = this.#before;
      this.#before = word;
      word = 0;
    }
  }
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
