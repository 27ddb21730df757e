const hidden = '[redacted]';
const secretName = /^(?:set-)?cookie$|authorization|passw(?:or)?d|secret|token|api[-_]?key|credential/i;
/** User info in a URL, credentials of a header, our own keys, and the secrets of webhooks. */
const secretText: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"\\]{1,500}@/gi, `$1${hidden}@`],
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/\bhf_[\w-]{43}/g, hidden],
  [/\bwhsec_[A-Za-z0-9+/]{24,}={0,2}/g, hidden],
];
const maxDepth = 6;

/** The fields of a log line without those whose name says that they are secret, however deep. */
export function redactFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value) ? hidden : redactWithin(value, depth + 1),
    ]),
  );
}

/** A whole log line without what looks like a secret, wherever it stands. */
export function redactLine(line: string): string {
  return secretText.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), line);
}

function isSecret(name: string, value: unknown): boolean {
  return secretName.test(name) && (typeof value === 'string' || typeof value === 'object') && value !== null;
}

function redactWithin(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => redactWithin(item, depth));
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return isPlain ? redactFields(value as Record<string, unknown>, depth) : value;
}
