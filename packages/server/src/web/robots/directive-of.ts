export type Directive = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

/** How many letters may be wrong. Who misspells `disallow` means it, and obeying costs nothing. */
const tolerance: readonly (readonly [Directive, number])[] = [
  ['user-agent', 2],
  ['allow', 1],
  ['disallow', 2],
  ['crawl-delay', 2],
  ['sitemap', 1],
];

/** The directive that a line's key (lower case) stands for: `Disallow`, `dissalow`, `useragent`, `site-map`. */
export function directiveOf(key: string): Directive | undefined {
  for (const [directive] of tolerance) if (key === directive) return directive;
  if (key.length > 13 || !/^[a-z][a-z _-]*$/.test(key)) return undefined;
  for (const [directive, allowed] of tolerance)
    if (Math.abs(key.length - directive.length) <= allowed && editDistance(key, directive) <= allowed)
      return directive;
  return undefined;
}

/** Levenshtein's: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
