import { type ErrorCode, errors } from '@holdfast/contract';

/** Reasons that are not error codes; those have a message in the error table. */
export const reasons: Readonly<Record<string, string>> = {
  robots: 'robots.txt forbids it',
  content_type: 'not a page: an image, a file or the like',
  no_content: 'the response was empty',
  host_limit: 'beyond --limit-per-host',
  absent: 'no such sitemap or llms.txt; not an error',
  sitemap: 'a sitemap; its URLs were crawled instead',
  trap_calendar: 'distant dates of an endless calendar; --no-traps fetches them',
  trap_session_ids: 'the same pages under changing session ids; --no-traps fetches them',
  trap_query_permutations: 'the same pages under combinations of parameters; --no-traps fetches them',
  trap_repeated_parameters: 'the same pages under repeated parameters; --no-traps fetches them',
  trap_repeated_segments: 'the same pages under circular paths; --no-traps fetches them',
  trap_repeated_encoding: 'the same pages under names encoded repeatedly; --no-traps fetches them',
  trap_deep_path: 'the same pages under ever deeper paths; --no-traps fetches them',
  sitemap_cut: 'a sitemap read in part: over 50 MB or 50,000 entries, or damaged',
  link_list_cut: 'a list of links that was too long to read in full',
  list_limit: 'beyond the 50,000 entries of a sitemap',
  page_limit: 'beyond the 50,000 links read per page',
  link_list: 'a list of links; they were crawled instead',
  off_host: 'on other hosts; --scope sets which hosts belong to the crawl',
  outside_prefix: 'not below --path-prefix',
  excluded: 'match --exclude',
  not_included: 'match no --include',
  unusable_url: 'listed, but not an http or https URL, or over 2,048 characters',
  lists_too_deep: 'sitemaps nested more than 5 levels deep',
  signs_out: 'would sign the profile out',
  sign_in_page: 'a sign-in page; the profile is already signed in',
  too_deep: 'deeper than --depth',
};

/** A stored reason in words. */
export function explainReason(reason: string): string {
  if (reasons[reason]) return reasons[reason];
  if (reason.startsWith('http_')) return `the site answered HTTP ${reason.slice(5)}`;
  const message: string = errors[reason as ErrorCode]?.message ?? '';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to its network',
  ETIMEDOUT: 'no answer',
  ENOTFOUND: 'no such host name',
  ENODATA: 'the host name has no address',
  EAI_AGAIN: 'the name server does not answer',
};

/** robots.txt is merely the first request: it is the site that cannot be reached. */
const unreachable =
  /robots\.txt is unreachable; crawling is on hold: (\S+)\/robots\.txt: (The (?:site could not be reached|site did not answer in time).*)$/;

/** The error message of a job for a person who waits for it. */
export function explainError(message: string): string {
  return message
    .replace(unreachable, '$2 ($1)')
    .replaceAll(/\b(?:E[A-Z]{4,}|EAI_[A-Z]+)\b/g, (code) => words[code] ?? code);
}
