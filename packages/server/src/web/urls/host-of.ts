/** The host of a canonical URL, with its port if it is not the scheme's own: `example.com`, `127.0.0.1:8080`. */
export function hostOf(canonical: string): string {
  const start = canonical.indexOf('://') + 3;
  const end = canonical.indexOf('/', start);
  return end === -1 ? canonical.slice(start) : canonical.slice(start, end);
}
