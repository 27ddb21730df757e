/**
 * The patterns that stand for a host, the most particular first: `a.b.org:8080`, `a.b.org`, `*.b.org`, `*.org`. An address
 * has no parts to leave out.
 */
export function hostPatterns(host: string): string[] {
  const name = host.replace(/:\d+$/, '');
  const exact = name === host ? [host] : [host, name];
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) return exact;
  const labels = name.split('.');
  return [...exact, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)];
}
