import { z } from 'zod';
import { adapterTypes } from '../adapter.ts';
import { parseUrl } from '../parse-url.ts';
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

/** Fields left out stay as they are, or get their defaults in a new source. */
export const sourceSettings = z
  .strictObject({
    name: text(500).optional(),
    hosts: z
      .array(hostPattern)
      .max(1000)
      .optional()
      .describe('exact hosts, and *.example.com for every host below one'),
    enabled: z.boolean().optional(),
    adapter_type: z
      .enum(adapterTypes)
      .nullable()
      .optional()
      .describe('how prices are asked for; null: not at all'),
    config: z
      .record(text(200), z.unknown())
      .refine((config) => JSON.stringify(config).length <= maxConfigLength, {
        message: `must be at most ${maxConfigLength} characters as JSON`,
      })
      .optional()
      .describe('of the adapter; shown to operators alone'),
    rate_limit_per_minute: z.int().min(1).max(600_000).nullable().optional().describe('null: no limit'),
    concurrency: z.int().min(1).max(1000).optional().describe('requests at a time, over all workers'),
    min_delay_ms: z.int().min(0).max(3_600_000).optional().describe('between two requests, over all workers'),
    reputation_weight: z
      .number()
      .min(0)
      .max(1)
      .refine((weight) => weight === 0 || weight >= 1e-6, 'must be 0, or 0.000001 or more')
      .optional(),
    tier: z.int().min(1).max(10).optional(),
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
    configured: z.boolean().describe('false: made by itself when a host was first asked for'),
    enabled: z.boolean(),
    adapter_type: z.string().nullable(),
    config: z.record(z.string(), z.unknown()).nullable().describe('null: not yours to see'),
    rate_limit_per_minute: z.int().nullable(),
    concurrency: z.int(),
    min_delay_ms: z.int(),
    crawl_delay_ms: z.int().nullable().describe('as robots.txt asks'),
    reputation_weight: z.number(),
    tier: z.int(),
    failure_streak: z
      .int()
      .describe('failures in a row of visits and collections, and failed connections of crawls'),
    failed_urls: z.int().describe('URLs of crawls in a row that failed, each counted once'),
    last_success_at: timestamp.nullable().describe('to half a minute'),
    last_failure_at: timestamp.nullable(),
    paused: z.boolean().describe('whether no request may start now'),
    paused_until: timestamp.nullable().describe('null while paused: until an operator resumes or enables it'),
    pause_reason: z.enum(pauseReasons).nullable(),
    breaker: z.enum(breakerStates),
    trouble: z
      .string()
      .nullable()
      .describe(
        'error code of why a host of it cannot be had at all: dns_failed, tls_failed; null after its next good answer',
      ),
    trouble_host: z.string().nullable().describe('which host that is'),
    trouble_since: timestamp.nullable(),
    slowdown: z
      .number()
      .describe(
        'how many times fewer requests at a time it gets, because its answers take longer; 1: no fewer',
      ),
    pace_per_minute: z
      .number()
      .nullable()
      .describe('requests a minute it gets at most, because it refused more; null: as its limits allow'),
    slowed_share: z
      .number()
      .nullable()
      .describe('what its pace was lowered for: the share of its answers that were refused or failed'),
    slowed_answers: z.int().nullable().describe('how many answers that is a share of'),
    created_at: timestamp,
  })
  .meta({ id: 'Source' });
/** Inside, with Dates. */
export type ApiSource = z.output<typeof apiSource>;

export const sourceId = z.string().regex(/^[\w.:[\]-]{1,300}$/, 'must be an id of a source');
export const sourceParams = z.strictObject({ id: sourceId });

export const sourceListQuery = z.strictObject({
  configured: queryBoolean.optional(),
  blocked: queryBoolean.optional().describe('only those that let nothing through now, or only the others'),
  limit: pageLimit,
  cursor: sourceId.optional(),
});
export const sourceList = pageOf(apiSource);

export const pauseSourceRequest = z
  .strictObject({
    seconds: z.number().min(1).max(31_536_000).optional().describe('without it, until it is resumed'),
  })
  .nullish();
