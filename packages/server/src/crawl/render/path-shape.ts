/** Longer words, and words with digits or several hyphens, are names of things: `/p/123`, `/blog/how-to-do-it`. */
const name = /\d|[-_].*[-_]|^.{25,}$/;

/**
 * What the URLs of one kind of page have in common: the first folder, and how many follow. Pages of one shape mostly come out
 * of one template, so what is learned of some holds for all.
 */
export function pathShape(url: string): string {
  const segments = new URL(url).pathname.split('/').filter(Boolean);
  const [first = '', ...rest] = segments;
  const head = name.test(first) ? '*' : first;
  return `/${[head, ...rest.map(() => '*')].join('/')}`;
}
