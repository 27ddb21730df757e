/** The words of a name, in lower case: `startDate`, `start_date` and `start-date` are the same two. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
