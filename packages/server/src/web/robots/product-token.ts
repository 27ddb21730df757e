/** The part of a user agent that robots.txt files name: `Holdfast` of `Holdfast/1.0 (+https://…)` (RFC 9309, 2.2.1). */
export function productToken(userAgent: string): string {
  return /^[a-z_-]*/i.exec(userAgent)?.[0] ?? '';
}
