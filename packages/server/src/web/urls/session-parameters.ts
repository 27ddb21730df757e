/** Names that servers give to session ids. None is cut by its name alone: `session_id=3` may be a talk. */
const sessionNames: ReadonlySet<string> = new Set([
  ...['phpsessid', 'jsessionid', 'aspsessionid', 'oscsid', 'zenid', 'cfid', 'cftoken', 'xtsid'],
  ...['sessid', 'sessionid', 'session_id', 'session', 'sess', 'sid', 's'],
]);

export function isSessionName(name: string): boolean {
  return sessionNames.has(name) || name.startsWith('aspsessionid');
}

const tokenShape = /^[0-9a-z,._!~-]{16,128}$/i;
const separators = /[,._!~-]/;
/** A UUID names things far more often than sessions in URLs. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const minRun = 16;
/** From letters to digits and back. Words and dates have few such changes, tokens many. */
const minChanges = 5;

/**
 * Whether a value was drawn at random: in one run of at least 16 letters and digits the two alternate again and again.
 * PHP, Java and ASP.NET ids do; `2024-fall-semester`, `iphone-15-pro-max-256` and numbers do not.
 */
export function looksRandom(value: string): boolean {
  if (value.length < minRun || !tokenShape.test(value) || uuid.test(value)) return false;
  return value.split(separators).some(isRandomRun);
}

function isRandomRun(run: string): boolean {
  if (run.length < minRun) return false;
  let changes = 0;
  let before: boolean | undefined;
  for (let i = 0; i < run.length; i++) {
    const isDigit = run.charCodeAt(i) <= 0x39;
    if (before !== undefined && isDigit !== before) changes++;
    before = isDigit;
  }
  return changes >= Math.max(minChanges, run.length / 6);
}

// Java's `;jsessionid=…` ends at the next `;` or `/`; ASP.NET's cookieless `(S(…))` is a segment of its own.
const pathParameter = /;(?:jsessionid|phpsessid|sessionid|sid)=([^;/]*)/gi;
const cookielessSegment = /\/\(((?:[A-Z]\([0-9a-z_-]{8,}\))+)\)(?=\/)/gi;

/** The path without session ids; `path` is given back as it is if it has none. */
export function withoutPathSession(path: string): string {
  let result = path;
  if (path.includes(';'))
    result = result.replace(pathParameter, (whole, value: string) => (looksRandom(value) ? '' : whole));
  if (path.includes('/('))
    result = result.replace(cookielessSegment, (whole, parts: string) =>
      parts.split(/[()]/).some(looksRandom) ? '' : whole,
    );
  // What is left of `/.;jsessionid=…/` is a dot segment.
  return result.length < path.length ? new URL(result, 'http://host/').pathname : path;
}
