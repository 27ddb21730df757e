/** The name that was probably meant: spelt nearly so, or the one that `otherNames` has for it. */
export function nearestName(
  given: string,
  known: readonly string[],
  otherNames: Readonly<Record<string, string>> = {},
): string | undefined {
  const wanted = plain(given);
  const candidates = [
    ...known.map((name) => ({ spelling: name, name })),
    ...Object.entries(otherNames).map(([spelling, name]) => ({ spelling, name })),
  ].map(({ spelling, name }) => ({ name, distance: editDistance(wanted, plain(spelling)) }));
  const nearest = candidates.reduce<(typeof candidates)[number] | undefined>(
    (best, candidate) => (best && best.distance <= candidate.distance ? best : candidate),
    undefined,
  );
  // One slip in four letters: what is further away is another word.
  return nearest && nearest.distance <= Math.floor(wanted.length / 4) ? nearest.name : undefined;
}

/** `maxPages`, `max-pages` and `max_pages` are the same slip. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Letters to add, drop or replace, by Levenshtein; long names are no slip, and cost no time. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 10 || from.length > 60) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
