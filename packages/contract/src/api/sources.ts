import { z } from 'zod';
import { adapterTypes } from '../adapter.ts';
import { parseUrl } from '../parse-url.ts';
import { proxyChoice } from '../proxy-name.ts';
import { renderModes } from '../render-options.ts';
import { text } from '../text-fields.ts';
import { breakerStates } from './frontier.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const hostPattern = text(260)
  .regex(/^(\*\.)?[^\s/*?#@]+$/, 'must be a host, or *. and a host')
  .refine((pattern) => parseUrl(`http://${pattern.replace(/^\*\./, '')}`), 'must be a host')
  .overwrite((pattern) => {
    const wildcard = pattern.startsWith('*.') ? '*.' : '';
    const address = `http://${pattern.slice(wildcard.length)}`;
    return wildcard + (parseUrl(address)?.host ?? '');
  });

const maxConfigLength = 100_000;

/** Omitted fields are unchanged, or get their defaults in a new source. */
export const sourceSettings = z
  .strictObject({
    name: text(500).optional(),
    hosts: z
      .array(hostPattern)
      .max(1000)
      .optional()
      .describe('exact hosts, or *.example.com for all subdomains'),
    enabled: z.boolean().optional(),
    adapter_type: z
      .enum(adapterTypes)
      .nullable()
      .optional()
      .describe('how prices are queried; null: not at all'),
    config: z
      .record(text(200), z.unknown())
      .refine((config) => JSON.stringify(config).length <= maxConfigLength, {
        message: `must be at most ${maxConfigLength} characters as JSON`,
      })
      .optional()
      .describe('configuration of the adapter; visible to operators only'),
    rate_limit_per_minute: z.int().min(1).max(600_000).nullable().optional().describe('null: no limit'),
    concurrency: z.int().min(1).max(1000).optional().describe('concurrent requests over all workers'),
    min_delay_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .optional()
      .describe('delay between requests, over all workers'),
    proxy: proxyChoice
      .nullable()
      .optional()
      .describe(
        'name of the proxy for its hosts; direct: no proxy; null: that of the job, or HOLDFAST_PROXY',
      ),
    reputation_weight: z
      .number()
      .min(0)
      .max(1)
      .refine((weight) => weight === 0 || weight >= 1e-6, 'must be 0, or 0.000001 or more')
      .optional(),
    tier: z.int().min(1).max(10).optional(),
    render: z
      .enum(renderModes)
      .nullable()
      .optional()
      .describe('whether its pages run in a browser, for jobs whose render is auto; null: auto'),
  })
  .meta({ id: 'SourceSettings' });
export type SourceSettings = z.input<typeof sourceSettings>;

export const pauseReasons = ['operator', 'failures', 'retry_after'] as const;
export type PauseReason = (typeof pauseReasons)[number];

export const apiSource = z
  .object({
    id: z.string(),
    name: z.string(),
    hosts: z.array(z.string()),
    configured: z.boolean().describe('false: created automatically for a new host'),
    enabled: z.boolean(),
    adapter_type: z.string().nullable(),
    config: z.record(z.string(), z.unknown()).nullable().describe('null: not visible to this key'),
    rate_limit_per_minute: z.int().nullable(),
    concurrency: z.int(),
    min_delay_ms: z.int(),
    crawl_delay_ms: z.int().nullable().describe('Crawl-delay from robots.txt'),
    proxy: z.string().nullable().describe('null: that of the job, or HOLDFAST_PROXY; direct: no proxy'),
    reputation_weight: z.number(),
    tier: z.int(),
    render: z.enum(renderModes).nullable().describe('for jobs whose render is auto; null: auto'),
    failure_streak: z
      .int()
      .describe('consecutive failures of visits and collections, and failed connections of crawls'),
    failed_urls: z.int().describe('consecutive failed URLs of crawls, each counted once'),
    last_success_at: timestamp.nullable().describe('accurate to half a minute'),
    last_failure_at: timestamp.nullable(),
    paused: z.boolean().describe('whether requests are blocked now'),
    paused_until: timestamp.nullable().describe('null while paused: an operator must resume or enable it'),
    pause_reason: z.enum(pauseReasons).nullable(),
    breaker: z.enum(breakerStates),
    trouble: z
      .string()
      .nullable()
      .describe(
        'error code if a host is unreachable: dns_failed, tls_failed; null after the next good response',
      ),
    trouble_host: z.string().nullable().describe('the unreachable host'),
    trouble_since: timestamp.nullable(),
    slowdown: z
      .number()
      .describe('factor by which concurrency is reduced because responses are slower; 1: not reduced'),
    pace_per_minute: z
      .number()
      .nullable()
      .describe('maximum requests per minute because it refused more; null: only its limits apply'),
    slowed_share: z
      .number()
      .nullable()
      .describe('share of refused or failed responses that lowered its pace'),
    slowed_answers: z.int().nullable().describe('number of responses behind that share'),
    created_at: timestamp,
  })
  .meta({ id: 'Source' });
/** Inside, with Dates. */
export type ApiSource = z.output<typeof apiSource>;

export const preferenceKinds = ['content-signal', 'content-usage', 'license'] as const;

export const sourcePreferences = z
  .object({
    data: z.array(
      z.object({
        origin: z.string(),
        kind: z.enum(preferenceKinds),
        agents: z.array(z.string()).describe('crawlers it addresses; *: all. Empty for a licence'),
        path: z.string().optional().describe('where it applies; default: everywhere'),
        value: z.string().describe('as written, such as `search=yes, ai-input=no`'),
        read_at: timestamp,
      }),
    ),
  })
  .meta({ id: 'SourcePreferences' });

export const sourceId = z.string().regex(/^[\w.:[\]-]{1,300}$/, 'must be the id of a source');
export const sourceParams = z.strictObject({ id: sourceId });

export const sourceListQuery = z.strictObject({
  configured: queryBoolean.optional(),
  blocked: queryBoolean.optional().describe('true: only blocked ones; false: only the others'),
  limit: pageLimit,
  cursor: sourceId.optional(),
});
export const sourceList = pageOf(apiSource);

export const pauseSourceRequest = z
  .strictObject({
    seconds: z.number().min(1).max(31_536_000).optional().describe('default: until it is resumed'),
  })
  .nullish();
