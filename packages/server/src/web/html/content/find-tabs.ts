import { collapseSpace, decodeText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { tag, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';

const longestLabel = 80;
const mostTabs = 50;

/**
 * Labels of tabs, by the panel that each of them shows. All panels are content, although all but one are hidden until chosen.
 * Recognises ARIA roles, and radio buttons whose labels a style sheet turns into tabs.
 */
export function findTabs(tape: Tape): ReadonlyMap<number, string> | undefined {
  if (!tape.mayHaveTabs) return undefined;
  const labels = new Map<number, string>();
  pairByRole(tape, labels);
  pairByRadio(tape, labels);
  for (const panel of labels.keys())
    tape.hints[panel] = (tape.hints[panel] as number) & ~(hint.hidden | hint.boilerplate);
  return labels;
}

/** As many panels follow a row of tabs. */
function pairByRole(tape: Tape, labels: Map<number, string>): void {
  let row: number[] = [];
  let panels = 0;
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] === textNode) continue;
    const flags = tape.hints[node] as number;
    if ((flags & hint.tab) !== 0) {
      if (panels > 0) row = [];
      panels = 0;
      if (row.length < mostTabs) row.push(node);
    } else if ((flags & hint.tabPanel) !== 0) {
      const of = row[panels++];
      if (of === undefined) continue;
      label(tape, labels, node, of);
    }
  }
}

/** Radio buttons with labels. A panel follows each label, or all panels follow all labels. */
function pairByRadio(tape: Tape, labels: Map<number, string>): void {
  const { tags, ends, parents, size } = tape;
  const done = new Set<number>();
  for (let node = 0; node < size; node++) {
    if (tags[node] !== tag.input || tape.details.get(node)?.input !== 'choice') continue;
    const parent = parents[node] as number;
    if (parent < 0 || done.has(parent)) continue;
    done.add(parent);
    const found: number[] = [];
    const others: number[] = [];
    for (let child = parent + 1; child < (ends[parent] as number); child = ends[child] as number) {
      if (tags[child] === textNode || tags[child] === tag.input) continue;
      if (tags[child] === tag.label) found.push(child);
      else others.push(child);
    }
    if (found.length > 0) pairRow(tape, labels, parent, found, others);
    else if (others.length === 2) pairWrapped(tape, labels, others[0] as number, others[1] as number);
  }
}

function pairRow(
  tape: Tape,
  labels: Map<number, string>,
  parent: number,
  row: readonly number[],
  others: readonly number[],
): void {
  const next = tape.ends[parent] as number;
  const isSibling =
    next < tape.size && tape.parents[next] === tape.parents[parent] && tape.tags[next] !== textNode;
  if (others.length === 1) pairChildren(tape, labels, row, others[0] as number);
  else if (others.length === 0 && isSibling) pairChildren(tape, labels, row, next);
  else if (others.length === row.length)
    for (const [index, panel] of others.entries()) label(tape, labels, panel, row[index] as number);
}

/** The labels share an element. */
function pairWrapped(tape: Tape, labels: Map<number, string>, box: number, panels: number): void {
  const row: number[] = [];
  for (let child = box + 1; child < (tape.ends[box] as number); child = tape.ends[child] as number)
    if (tape.tags[child] === tag.label) row.push(child);
  pairChildren(tape, labels, row, panels);
}

function pairChildren(tape: Tape, labels: Map<number, string>, row: readonly number[], box: number): void {
  const panels: number[] = [];
  for (let child = box + 1; child < (tape.ends[box] as number); child = tape.ends[child] as number)
    if (tape.tags[child] !== textNode) panels.push(child);
  if (panels.length !== row.length) return;
  for (const [index, panel] of panels.entries()) label(tape, labels, panel, row[index] as number);
}

function label(tape: Tape, labels: Map<number, string>, panel: number, tabNode: number): void {
  let text = '';
  for (let at = tabNode; at < (tape.ends[tabNode] as number); at++)
    if (tape.tags[at] === textNode) text += tape.html.slice(tape.starts[at], tape.stops[at]);
  const said = collapseSpace(decodeText(text.slice(0, 4 * longestLabel))).slice(0, longestLabel);
  if (said !== '') labels.set(panel, said);
}
