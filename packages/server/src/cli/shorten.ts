/** The beginning of a text, if it is longer than so many letters. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, Math.max(length - 1, 0))}…` : text;
}
