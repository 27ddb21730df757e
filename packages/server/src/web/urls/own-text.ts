/**
 * The same text in memory of its own: a slice keeps all of the page that it was cut from alive for as long as anything
 * remembers it. Concatenating copies, 0.05 µs for a link.
 */
export function ownText(slice: string): string {
  return ` ${slice}`.slice(1);
}
