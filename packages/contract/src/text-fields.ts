import { z } from 'zod';
import { badPorts } from './bad-ports.ts';
import { parseUrl } from './parse-url.ts';

/** PostgreSQL stores no NUL and no half surrogate pair; refusing them here gives a clear error instead of its own. */
export const isStorable = (value: string) => !value.includes('\0') && value.isWellFormed();
export const notStorable = 'must be well-formed Unicode without NUL characters';

/** A name that stands in addresses, logs and tables, and that people type. */
const isTypeable = (value: string) =>
  /^[^\p{C}\p{Z}]+( [^\p{C}\p{Z}]+)*$/u.test(value) && !/^\.+$/.test(value);

export const text = (max: number) => z.string().min(1).max(max).refine(isStorable, notStorable);

/** What a request header can carry and every site reads alike (RFC 9110, 5.5): more than blanks, and no line of its own. */
export const headerText = (max: number) =>
  text(max).regex(
    /^[\t ]*[!-~][\t -~]*$/,
    'must contain only visible ASCII characters and spaces, because it is sent as a header',
  );

export const botName = text(100).refine(
  isTypeable,
  'must contain only visible characters and single spaces, such as bot-001',
);

const maxUrlLength = 2048;

/** What is wrong with a URL that no worker could ever fetch, so that nobody has to wait for one to find out. */
function urlProblem(value: string): string | undefined {
  const url = parseUrl(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'must be an absolute http or https URL';
  if (url.username || url.password) return 'must not contain a user name or password';
  const host = url.hostname.replace(/\.$/, '');
  // Names of hosts as DNS knows them (RFC 1035); a numeric address is none.
  const isName = !host.startsWith('[') && !/^[\d.]+$/.test(host);
  if (isName && (host.length > 253 || !host.split('.').every((label) => /^.{1,63}$/.test(label))))
    return 'must have a valid host name, such as example.com';
  // A host of one's own may be allowed with any port, by whoever runs the workers.
  const isPublic = isName && host.includes('.') && !host.endsWith('.localhost');
  if (isPublic && badPorts.has(Number(url.port || 80)))
    return `must not use port ${url.port}, which crawlers never fetch`;
  if (value.length <= maxUrlLength && url.href.length > maxUrlLength)
    return `must have at most ${maxUrlLength} characters when it is encoded`;
  return undefined;
}

export const pageUrl = text(maxUrlLength)
  .superRefine((value, context) => {
    const message = urlProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ format: 'uri', examples: ['https://example.com/'] });
