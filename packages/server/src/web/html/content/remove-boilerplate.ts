import type { LeftOutReason } from '../extracted-page.ts';
import { hint } from '../tape/class-hints.ts';
import { tag, tagSet, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import {
  enough,
  isAside,
  isBesides,
  isConsent,
  isHeadline,
  isNamedBoilerplate,
  isWithinContent,
  type PageSums,
  pageSums,
} from './evidence.ts';
import { revealOnlyCopies } from './reveal-only-copies.ts';

const neverContent = tagSet(
  'button', 'select', 'input', 'textarea', 'object', 'datalist', 'progress', 'meter', 'option', 'optgroup', 'label',
  'title', 'legend',
); // biome-ignore format: a list of words

/** Removes controls and hidden elements. Returns the number of visible words. */
export function removeUnseen(tape: Tape): number {
  revealOnlyCopies(tape);
  const sums = pageSums(tape);
  // A page that reveals its text by script, or was saved under a dialog, hides nearly everything.
  const trustsHidden = hiddenProse(tape) <= 0.5 * sums.prose;
  let listing = -1;
  remove(tape, sums, (node, id, flags, rest) => {
    if (id === tag.pre) listing = node;
    else if (id === tag.a && listing >= 0 && carriesListing(tape, node, listing)) return 'a control';
    if (neverContent[id] === 1 && tape.details.get(node)?.input === undefined && !isTask(tape, node))
      return 'a control';
    return trustsHidden && (flags & hint.hidden) !== 0 && rest > enough ? 'hidden' : keep;
  });
  // With little else left, hidden text may be the page itself: only a minority of the prose may go.
  remove(tape, sums, (_node, _id, flags, rest, weight) =>
    trustsHidden && (flags & hint.hidden) !== 0 && weight <= rest ? 'hidden' : keep,
  );
  return pageSums(tape).words;
}

/**
 * Removes cookie dialogs, then elements that declare themselves navigation (nav, footer), then those named as boilerplate if a
 * second reason confirms it (`evidence.ts`).
 */
export function removeBoilerplate(tape: Tape): void {
  const sums = pageSums(tape);
  remove(tape, sums, (node) => (isConsent(tape, node) ? 'a cookie dialog' : keep));
  remove(tape, sums, (node, _id, flags) =>
    (flags & hint.surely) !== 0 && isBesides(tape, node, sums) ? 'navigation by its element or role' : keep,
  );
  remove(tape, sums, (node, id, flags, rest, weight) => {
    if (id === tag.pre || id === tag.code) return passOver;
    if ((flags & (hint.boilerplate | hint.comments)) !== 0)
      return isNamedBoilerplate(tape, node, sums) ? 'named as boilerplate, confirmed by its content' : keep;
    if ((flags & hint.aside) !== 0 && isAside(tape, node, sums)) return 'an aside';
    if (id === tag.form) return weight <= 0.4 * rest ? 'a form' : keep;
    const isPageHeader =
      id === tag.header && weight <= 0.25 * rest && !isWithinContent(tape, node) && !isHeadline(tape, node);
    return isPageHeader ? 'the page header' : keep;
  });
}

const shortestCarrier = 60;
const longestRead = 4_000;

/** A link right after a listing that opens its code elsewhere: "Run", "Try it". */
function carriesListing(tape: Tape, link: number, listing: number): boolean {
  const { tags, ends, chars, html, starts, stops, details } = tape;
  const after = ends[listing] as number;
  if (after !== link && (after !== link - 1 || (chars[after] as number) > 0)) return false;
  const href = details.get(link)?.href ?? '';
  if (href.length < shortestCarrier) return false;
  const carried = codeIn(href.slice(0, longestRead));
  let words = 0;
  let found = 0;
  for (let at = listing + 1; at < after && words < 8; at++) {
    if (tags[at] !== textNode) continue;
    for (const [word] of html.slice(starts[at], stops[at]).matchAll(/[\p{L}\p{N}_]{3,}/gu)) {
      words++;
      if (carried.includes(word)) found++;
    }
  }
  return words >= 2 && found >= 0.8 * words;
}

function codeIn(href: string): string {
  try {
    return decodeURIComponent(href.replace(/%[\da-f]?$/i, ''));
  } catch {
    return href;
  }
}

/** The label of a box to tick is the text of its task. */
function isTask({ tags, ends, parents, details }: Tape, node: number): boolean {
  if (tags[node] !== tag.label || tags[parents[node] as number] !== tag.li) return false;
  for (let at = node + 1; at < Math.min(ends[node] as number, node + 4); at++) {
    const input = details.get(at)?.input;
    if (input === 'checked' || input === 'unchecked') return true;
  }
  return false;
}

function hiddenProse(tape: Tape): number {
  let sum = 0;
  for (let node = 0; node < tape.size; node++) {
    const flags = tape.hints[node] as number;
    if (tape.tags[node] === textNode || (flags & (hint.hidden | hint.gone)) === 0) continue;
    if ((flags & hint.gone) === 0) sum += tape.prose[node] as number;
    node = (tape.ends[node] as number) - 1;
  }
  return sum;
}

const keep = 'keep';
/** Skips the subtree: highlighters name parts of code, comments among them. */
const passOver = 'pass over';

function remove(
  tape: Tape,
  sums: PageSums,
  judge: (
    node: number,
    id: number,
    flags: number,
    rest: number,
    weight: number,
  ) => LeftOutReason | typeof keep | typeof passOver,
): void {
  const { tags, hints, prose, chars, words, ends, size } = tape;
  for (let node = 0; node < size; node++) {
    const id = tags[node] as number;
    if (id === textNode) continue;
    const flags = hints[node] as number;
    if ((flags & hint.gone) === 0) {
      const weight = prose[node] as number;
      const verdict = judge(node, id, flags, sums.prose - weight, weight);
      if (verdict === keep) continue;
      if (verdict !== passOver) {
        sums.prose -= weight;
        sums.chars -= chars[node] as number;
        sums.words -= words[node] as number;
        takeFrom(tape, node, verdict);
      }
    }
    node = (ends[node] as number) - 1;
  }
}

/** Removes a node and subtracts it from the sums of its ancestors. */
export function takeFrom(tape: Tape, node: number, reason: LeftOutReason): void {
  const { parents, prose, chars, linked, words } = tape;
  tape.hints[node] = (tape.hints[node] as number) | hint.gone;
  tape.reasons?.set(node, reason);
  for (let at = parents[node] as number; at >= 0; at = parents[at] as number) {
    prose[at] = (prose[at] as number) - (prose[node] as number);
    chars[at] = (chars[at] as number) - (chars[node] as number);
    linked[at] = (linked[at] as number) - (linked[node] as number);
    words[at] = (words[at] as number) - (words[node] as number);
  }
}

/** For a page of nothing but navigation, menus are better than an empty result. */
export function restoreBoilerplate(tape: Tape): void {
  for (let node = 0; node < tape.size; node++) {
    const id = tape.tags[node] as number;
    if (neverContent[id] === 1) continue;
    tape.hints[node] = (tape.hints[node] as number) & ~hint.gone;
  }
}
