import { type ErrorCode, errors } from '@holdfast/contract';

const reasons: Record<string, string> = {
  robots: 'robots.txt forbids it',
  content_type: 'not a page: another content type',
  no_content: 'no content',
  host_limit: 'the limit of its host was reached',
  absent: 'looked for by discovery, and not there',
  sitemap: 'a sitemap: its URLs were taken',
  link_list: 'a list of links: they were taken',
  off_host: 'links to other hosts',
  outside_prefix: 'not below the path prefix',
  excluded: 'matches an exclude pattern',
  not_included: 'matches no include pattern',
  too_deep: 'deeper than the depth allows',
};

/** A reason, as it is stored, in words. */
export function explainReason(reason: string): string {
  if (reasons[reason]) return reasons[reason];
  if (reason.startsWith('http_')) return `the site answered HTTP ${reason.slice(5)}`;
  if (reason.startsWith('trap_')) return 'a space of URLs that the site makes up as it goes';
  const message: string = errors[reason as ErrorCode]?.message ?? '';
  return message.charAt(0).toLowerCase() + message.slice(1);
}
