/** Names that servers give to session ids and to nothing else. */
const sessionNames: ReadonlySet<string> = new Set([
  'phpsessid',
  'jsessionid',
  'aspsessionid',
  'sessid',
  'sessionid',
  'session_id',
  'oscsid',
  'zenid',
  'cfid',
  'cftoken',
]);

/** Names that often mean something else (`sid=12` is a story): dropped only where the value looks drawn at random. */
const ambiguousNames: ReadonlySet<string> = new Set(['sid', 's', 'sess', 'session', 'xtsid']);

const tokenShape = /^[0-9a-z,_-]{16,128}$/i;

/** At least 16 characters of a token's alphabet with three digits and a letter: md5, PHP and Java ids; not a slug. */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || !tokenShape.test(value)) return false;
  let digits = 0;
  let letters = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) digits++;
    else if (code >= 0x41) letters++;
  }
  return digits >= 3 && letters >= 1;
}

/** Whether the name (lower case) alone tells a session id, or only together with a value that looks random. */
export function sessionKind(name: string): 'session' | 'maybe_session' | undefined {
  if (sessionNames.has(name) || name.startsWith('aspsessionid')) return 'session';
  return ambiguousNames.has(name) ? 'maybe_session' : undefined;
}

// Java's `;jsessionid=…` ends at the next `;` or `/`; ASP.NET's cookieless `(S(…))` is a segment of its own.
const pathParameter = /;(?:jsessionid|phpsessid|sessionid|sid)=[^;/]*/gi;
const cookielessSegment = /\/\((?:[A-Z]\([0-9a-z_-]{8,}\))+\)(?=\/)/gi;

/** The path without session ids; `path` is given back as it is if it has none. */
export function withoutPathSession(path: string): string {
  let result = path;
  if (path.includes(';')) result = result.replace(pathParameter, '');
  if (path.includes('/(')) result = result.replace(cookielessSegment, '');
  // What is left of `/.;jsessionid=1/` is a dot segment.
  return result.length < path.length ? new URL(result, 'http://host/').pathname : path;
}
