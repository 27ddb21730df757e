import type { LeftOutReason } from '../extracted-page.ts';
import { tag, tagSet, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { hint } from './class-hints.ts';
import {
  enough,
  isAside,
  isBesides,
  isConsent,
  isNamedBoilerplate,
  isWithinContent,
  type PageSums,
  pageSums,
} from './evidence.ts';

const neverContent = tagSet(
  'button', 'select', 'input', 'textarea', 'object', 'datalist', 'progress', 'meter', 'option', 'optgroup', 'label',
  'title', 'legend',
); // biome-ignore format: a list of words

/** What nobody reads: controls, and what is hidden. Returns how many words are left to be seen. */
export function removeUnseen(tape: Tape): number {
  const sums = pageSums(tape);
  // A page that shows its text by script, or that was saved under a dialog, hides nearly everything.
  const trustsHidden = hiddenProse(tape) <= 0.5 * sums.prose;
  remove(tape, sums, (node, id, flags, rest) => {
    if (neverContent[id] === 1 && tape.details.get(node)?.input === undefined) return 'to be used, not read';
    return trustsHidden && (flags & hint.hidden) !== 0 && rest > enough ? 'hidden' : keep;
  });
  // Where little else is left, what is hidden may be the page; if it is not most of it, it goes all the same.
  remove(tape, sums, (_node, _id, flags, rest, weight) =>
    trustsHidden && (flags & hint.hidden) !== 0 && weight <= rest ? 'hidden' : keep,
  );
  return pageSums(tape).words;
}

/**
 * First dialogs about cookies; then what the element itself says to be no content (nav, footer); last what a name calls
 * so, where something else says it as well (`evidence.ts`).
 */
export function removeBoilerplate(tape: Tape): void {
  const sums = pageSums(tape);
  remove(tape, sums, (node) => (isConsent(tape, node) ? 'a dialog about cookies' : keep));
  remove(tape, sums, (node, _id, flags) =>
    (flags & hint.surely) !== 0 && isBesides(tape, node, sums) ? 'navigation, by its element or role' : keep,
  );
  remove(tape, sums, (node, id, flags, rest, weight) => {
    if (id === tag.pre || id === tag.code) return passOver;
    if ((flags & (hint.boilerplate | hint.comments)) !== 0)
      return isNamedBoilerplate(tape, node, sums) ? 'boilerplate, by its name and what it holds' : keep;
    if ((flags & hint.aside) !== 0 && isAside(tape, node, sums)) return 'beside the text';
    if (id === tag.form) return weight <= 0.4 * rest ? 'a form' : keep;
    const isPageHeader = id === tag.header && weight <= 0.25 * rest && !isWithinContent(tape, node);
    return isPageHeader ? 'the header of the page' : keep;
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

const keep = 'keep';
/** Says to look at nothing inside: highlighters name the parts of code, comments among them. */
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

/** What goes from the content also goes from the sums of what holds it. */
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

/** A page that is all navigation still says something: better its menus than nothing. */
export function restoreBoilerplate(tape: Tape): void {
  for (let node = 0; node < tape.size; node++) {
    const id = tape.tags[node] as number;
    if (neverContent[id] === 1) continue;
    tape.hints[node] = (tape.hints[node] as number) & ~hint.gone;
  }
}
