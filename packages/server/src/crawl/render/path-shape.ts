/** Longer words, and words with digits or several hyphens, are names of things: `/p/123`, `/blog/how-to-do-it`. */
const name = /\d|[-_].*[-_]|^.{25,}$/;

/**
 * The shape of a URL: its first folder and the number of segments. Pages of one shape usually share a template, so a
 * result for some applies to all.
 */
export function pathShape(url: string): string {
  const segments = new URL(url).pathname.split('/').filter(Boolean);
  const [first = '', ...rest] = segments;
  const head = name.test(first) ? '*' : first;
  return `/${[head, ...rest.map(() => '*')].join('/')}`;
}
