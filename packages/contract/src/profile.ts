import { z } from 'zod';
import { canonicalOrigin } from './canonical-origin.ts';
import { proxyChoice } from './proxy-name.ts';
import { botName, headerText, isStorable, notStorable, text } from './text-fields.ts';

/** Headers that tell nobody anything: they stay in the payload and go to every site. Any other may be a secret. */
export const plainHeaders: readonly string[] = [
  'accept',
  'accept-language',
  'cache-control',
  'dnt',
  'pragma',
  'priority',
  'referer',
  'sec-gpc',
  'x-requested-with',
];

/** Set by the crawler itself; `host` would lead past scope and robots.txt. */
const reservedHeaders: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'cookie2',
  'expect',
  'host',
  'if-modified-since',
  'if-none-match',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header, such as X-Api-Key')
  .refine((name) => !reservedHeaders.includes(name.toLowerCase()), 'must not be set: the crawler sets it')
  .refine((name) => name.toLowerCase() !== 'user-agent', 'must not be set here; use user_agent');

export const requestHeaders = z
  .record(headerName, headerText(8_000))
  .refine((headers) => Object.keys(headers).length <= 50, 'must be at most 50')
  .meta({ examples: [{ 'X-Api-Key': '…' }] });

/** Headers of a payload as it is stored. */
export const plainRequestHeaders = requestHeaders.superRefine((headers, { addIssue }) => {
  for (const name of Object.keys(headers).filter((given) => !plainHeaders.includes(given.toLowerCase())))
    addIssue({
      code: 'custom',
      path: [name],
      message: 'may be secret, so it belongs in a profile',
    });
});

/** https://example.com, or https://*.example.com for all its subdomains. */
const profileOrigin = text(300).transform((given, { addIssue }) => {
  const [, scheme, rest] = /^(https?:\/\/)\*\.(.+)$/i.exec(given) ?? [];
  const origin = canonicalOrigin(rest === undefined ? given : `${scheme}${rest}`);
  if (origin === undefined || (rest !== undefined && !/^https?:\/\/[^/]*[a-z]/.test(origin))) {
    addIssue('must be an origin, such as https://example.com, or https://*.example.com for its subdomains');
    return given;
  }
  return rest === undefined ? origin : origin.replace('://', '://*.');
});

const cookieText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\t\x20-\x3a\x3c-\x7e\x80-\xff]*$/, 'must be what a cookie can hold');

export const profileCookie = z
  .object({
    name: cookieText(1_000).min(1),
    value: cookieText(8_000),
    domain: text(300).describe('example.com: this host only; .example.com: also its subdomains'),
    path: z.string().max(1_000).regex(/^\//, 'must begin with /').default('/'),
    expires: z.number().optional().describe('seconds since 1970; -1 or absent: until the browser is closed'),
    httpOnly: z.boolean().optional(),
    secure: z.boolean().optional(),
    sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
  })
  .meta({ id: 'ProfileCookie' });
export type ProfileCookie = z.output<typeof profileCookie>;

export const basicAuth = z
  .strictObject({
    username: z.string().max(500).refine(isStorable, notStorable),
    password: z.string().max(2_000).refine(isStorable, notStorable),
  })
  .meta({ id: 'BasicAuth' });

export const bearerToken = text(8_000).regex(
  /^[!-~]+$/,
  'must contain only visible ASCII characters, because it is sent as a header',
);

/** What a profile holds, as its owner gives it. It is sealed, and never shown again. */
export const profileContents = {
  headers: requestHeaders.optional(),
  basic_auth: basicAuth.optional(),
  bearer_token: bearerToken.optional(),
  cookies: z.array(profileCookie).max(2_000).optional(),
  cookies_txt: z
    .string()
    .max(500_000)
    .optional()
    .describe('a cookies.txt file in Netscape format, as browser extensions and curl write it'),
  storage_state: z
    .looseObject({ cookies: z.array(profileCookie).max(2_000) })
    .meta({ id: 'StorageState' })
    .optional()
    .describe('the storageState of Playwright; only its cookies are used'),
};

/** Used by the jobs that use the profile. */
export const profileProxy = {
  proxy: proxyChoice
    .optional()
    .describe('name of the proxy for jobs with this profile, unless they name one themselves; direct: none'),
};

/** What a request may say besides a profile. What is secret of it is stored as an unnamed profile. */
export const signInFields = {
  headers: requestHeaders
    .optional()
    .describe(
      'extra headers; headers that may be secret are encrypted and sent only to the origins of the URLs',
    ),
  basic_auth: basicAuth
    .optional()
    .describe('user name and password; encrypted, sent only to the origins of the URLs'),
  bearer_token: bearerToken.optional().describe('encrypted, sent only to the origins of the URLs'),
};

const profileName = botName.describe('name by which crawls, visits, policies and adapters refer to it');

const holdsSomething = (given: Record<string, unknown>) =>
  Object.keys(profileContents).some((field) => given[field] !== undefined);
const holdsOneLogin = ({
  basic_auth,
  bearer_token,
  headers = {},
}: {
  basic_auth?: unknown;
  bearer_token?: unknown;
  headers?: object | undefined;
}) =>
  [
    basic_auth,
    bearer_token,
    Object.keys(headers).find((name) => name.toLowerCase() === 'authorization'),
  ].filter((login) => login !== undefined).length <= 1;

export const profileRequest = z
  .strictObject({
    name: profileName,
    origins: z
      .array(profileOrigin)
      .min(1)
      .max(100)
      .describe('the only origins that it is sent to, such as https://example.com or https://*.example.com'),
    ...profileContents,
    ...profileProxy,
  })
  .refine(
    holdsSomething,
    'must hold headers, basic_auth, bearer_token, cookies, cookies_txt or storage_state',
  )
  .refine(holdsOneLogin, 'must have only one of basic_auth, bearer_token and an Authorization header')
  .meta({ id: 'ProfileRequest' });
export type ProfileRequest = z.input<typeof profileRequest>;
export type CheckedProfile = z.output<typeof profileRequest>;

/** Whether a URL belongs to one of a profile's origins. */
export function isOriginOf(origins: readonly string[], url: string): boolean {
  const { origin, protocol, hostname, port } = new URL(url);
  return origins.some((allowed) => {
    if (allowed === origin) return true;
    const [scheme, rest] = allowed.split('//*.');
    return (
      rest !== undefined && scheme === protocol && `${hostname}${port && `:${port}`}`.endsWith(`.${rest}`)
    );
  });
}
