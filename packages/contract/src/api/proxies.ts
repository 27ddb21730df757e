import { z } from 'zod';
import { proxyName, proxyRotations } from '../proxy-name.ts';
import { parseProxyUrl, proxyUrlProblem } from '../proxy-url.ts';
import { pageOf } from './page-of.ts';
import { pageLimit } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const proxyUrl = z
  .string()
  .max(2000)
  .superRefine((value, context) => {
    const problem = proxyUrlProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

/** Omitted fields are unchanged, or get their defaults in a new proxy. */
export const proxySettings = z
  .strictObject({
    urls: z
      .array(proxyUrl)
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'http://, https://, socks5:// or socks5h:// URLs with user name and password; encrypted, never shown again',
      )
      .meta({ examples: [['http://user:password@proxy.example:3128']] }),
    rotation: z
      .enum(proxyRotations)
      .optional()
      .describe(
        'round_robin: the next server for every request; sticky: the same server for all requests to a host',
      ),
    resolves_names: z
      .boolean()
      .optional()
      .describe(
        'true: the proxy resolves host names, so addresses are not checked; false: Holdfast resolves and checks them',
      ),
    cooldown_seconds: z
      .number()
      .min(0.1)
      .max(3600)
      .optional()
      .describe('how long a server is paused after failures; doubled each time, up to 16 times as long'),
  })
  .meta({ id: 'ProxySettings' });
export type ProxySettings = z.input<typeof proxySettings>;

export const proxyServer = z
  .object({
    server: z.string().describe('its name on pages and in logs: eu, or eu#2 for the second of a list'),
    address: z.string().describe('scheme, host and port'),
    state: z.enum(['unused', 'ok', 'failing', 'resting']),
    requests: z.int(),
    failures: z.int(),
    last_success_at: timestamp.nullable(),
    last_failure_at: timestamp.nullable(),
    last_failure: z.string().nullable().describe('null after the next success'),
    rests_until: timestamp.nullable().describe('paused until this time'),
  })
  .meta({ id: 'ProxyServer' });

export const apiProxy = z
  .object({
    name: z.string(),
    rotation: z.enum(proxyRotations),
    resolves_names: z.boolean(),
    cooldown_seconds: z.number(),
    servers: z.array(proxyServer),
    sources: z.array(z.string()).describe('ids of the sources that use it'),
    created_at: timestamp.nullable().describe('null: set by HOLDFAST_PROXY'),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'ProxyPool' });
/** Inside, with Dates. */
export type ApiProxy = z.output<typeof apiProxy>;

export const proxyParams = z.strictObject({ name: proxyName });
export const proxyListQuery = z.strictObject({ limit: pageLimit, cursor: proxyName.optional() });
export const proxyList = pageOf(apiProxy);

/** The scheme, host and port of each URL. */
export function proxyHosts(urls: readonly string[]): URL[] {
  return urls.map((url) => {
    const { host, port } = parseProxyUrl(url);
    return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  });
}
