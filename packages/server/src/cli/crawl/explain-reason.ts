import { type ErrorCode, errors } from '@holdfast/contract';

/** Why a URL was left out, where that is no error: what `errors` has is told by its message. */
export const reasons: Readonly<Record<string, string>> = {
  robots: 'robots.txt forbids it',
  content_type: 'no page: a picture, a file or the like',
  no_content: 'the answer was empty',
  host_limit: 'its host has as many pages as --limit-per-host allows',
  absent: 'no such sitemap or llms.txt; that is no fault',
  sitemap: 'a sitemap: its URLs were crawled instead',
  trap_calendar: 'far dates of a calendar that only repeats itself; --no-traps fetches them',
  trap_session_ids: 'the same pages under one session or token after another; --no-traps fetches them',
  trap_query_permutations: 'the same pages under ever new parameters; --no-traps fetches them',
  trap_repeated_parameters: 'the same pages under parameters that pile up; --no-traps fetches them',
  trap_repeated_segments: 'the same pages under paths that go in circles; --no-traps fetches them',
  trap_repeated_encoding: 'the same pages under names encoded again and again; --no-traps fetches them',
  trap_deep_path: 'the same pages under ever deeper paths; --no-traps fetches them',
  sitemap_cut: 'a sitemap that was not read to its end: larger than 50 MB or 50,000 entries, or damaged',
  link_list_cut: 'a list of links that was too long to be read to its end',
  list_limit: 'beyond the 50,000 entries that a sitemap may have',
  page_limit: 'beyond the 50,000 links that are read of a page',
  link_list: 'a list of links: they were crawled instead',
  off_host: 'on other hosts; --scope says which belong to it',
  outside_prefix: 'not below --path-prefix',
  excluded: 'match --exclude',
  not_included: 'match no --include',
  unusable_url: 'listed, but no http or https URL, or longer than 2,048 characters',
  lists_too_deep: 'sitemaps more than 5 below the first',
  too_deep: 'more links from the start than --depth allows',
};

/** A reason, as it is stored, in words. */
export function explainReason(reason: string): string {
  if (reasons[reason]) return reasons[reason];
  if (reason.startsWith('http_')) return `the site answered HTTP ${reason.slice(5)}`;
  const message: string = errors[reason as ErrorCode]?.message ?? '';
  return message.charAt(0).toLowerCase() + message.slice(1);
}
