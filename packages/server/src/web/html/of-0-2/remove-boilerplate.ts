import { tag, tagSet, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { hint } from './hints.ts';

const neverContent = tagSet(
  'button', 'select', 'input', 'textarea', 'object', 'datalist', 'progress', 'meter', 'option', 'optgroup', 'label',
  'title', 'legend',
); // biome-ignore format: a list of words

/** Something may go only if at least this much prose remains. */
const enough = 200;

/**
 * First what is about cookies; then what says of itself that it is no content, if enough is left without it; last what is
 * named so, unless it outweighs the rest: then the name misleads.
 */
export function removeBoilerplate(tape: Tape): void {
  let total = 0;
  for (let node = 0; node < tape.size; node = tape.ends[node] as number) total += tape.prose[node] as number;
  total = remove(tape, total, (_id, flags) => (flags & hint.consent) !== 0);
  // A page that reveals its text by script, or was saved under a dialog, hides nearly everything.
  const trustHidden = hiddenProse(tape) <= 0.5 * total;
  total = remove(tape, total, (id, flags, rest) => {
    if (neverContent[id] === 1) return true;
    return ((flags & hint.surely) !== 0 || (trustHidden && (flags & hint.hidden) !== 0)) && rest > enough;
  });
  remove(tape, total, (id, flags, rest, weight, node) => {
    if ((flags & hint.comments) !== 0 && rest > enough) return true;
    if ((flags & hint.boilerplate) !== 0) return weight <= 0.66 * rest;
    if (trustHidden && (flags & hint.hidden) !== 0) return weight <= rest;
    if (id === tag.form) return weight <= 0.4 * rest;
    return id === tag.header && weight <= 0.25 * rest && !within(tape, node);
  });
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

function remove(
  tape: Tape,
  total: number,
  isBoilerplate: (id: number, flags: number, rest: number, weight: number, node: number) => boolean,
): number {
  const { tags, hints, prose, ends, size } = tape;
  let left = total;
  for (let node = 0; node < size; node++) {
    const id = tags[node] as number;
    if (id === textNode) continue;
    const flags = hints[node] as number;
    if ((flags & hint.gone) === 0) {
      const weight = prose[node] as number;
      if (!isBoilerplate(id, flags, left - weight, weight, node)) continue;
      takeFrom(tape, node);
      left -= weight;
    }
    node = (ends[node] as number) - 1;
  }
  return left;
}

/** Removes a node and subtracts it from the sums of its ancestors. */
export function takeFrom(tape: Tape, node: number): void {
  const { parents, prose, chars, linked, words } = tape;
  tape.hints[node] = (tape.hints[node] as number) | hint.gone;
  for (let at = parents[node] as number; at >= 0; at = parents[at] as number) {
    prose[at] = (prose[at] as number) - (prose[node] as number);
    chars[at] = (chars[at] as number) - (chars[node] as number);
    linked[at] = (linked[at] as number) - (linked[node] as number);
    words[at] = (words[at] as number) - (words[node] as number);
  }
}

function within(tape: Tape, node: number): boolean {
  for (let at = tape.parents[node] as number; at >= 0; at = tape.parents[at] as number)
    if (tape.tags[at] === tag.article || tape.tags[at] === tag.main) return true;
  return false;
}

/** For a page of nothing but navigation, menus are better than an empty result. */
export function restoreBoilerplate(tape: Tape): void {
  for (let node = 0; node < tape.size; node++) {
    const id = tape.tags[node] as number;
    if (neverContent[id] === 1) continue;
    tape.hints[node] = (tape.hints[node] as number) & ~hint.gone;
  }
}
