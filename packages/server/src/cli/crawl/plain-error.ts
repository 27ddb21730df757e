const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to its network',
  ETIMEDOUT: 'no answer',
  ENOTFOUND: 'there is no such name',
  ENODATA: 'the name has no address',
  EAI_AGAIN: 'the name server does not answer',
};

/** robots.txt is only what was asked for first: the site itself is not there. */
const unreachable =
  /robots\.txt is unreachable; crawling is on hold: (\S+)\/robots\.txt: (The (?:site could not be reached|site did not answer in time).*)$/;

/** An error message of a job, as it is told to a person who waits. */
export function plainError(message: string): string {
  return message
    .replace(unreachable, '$2 ($1)')
    .replaceAll(/\b(?:E[A-Z]{4,}|EAI_[A-Z]+)\b/g, (code) => words[code] ?? code);
}
