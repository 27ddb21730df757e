import { z } from 'zod';
import { queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

/** closed: requests are allowed; open: none are, after too many failures; half_open: one probe is sent. */
export const breakerStates = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof breakerStates)[number];

export const frontierQuery = z.strictObject({
  limit: queryNumber(1, 200).default(50).describe('maximum number of hosts'),
});

export const frontierSummary = z
  .object({
    total_pending: z.int().describe('URLs found and not yet crawled, over all hosts'),
    hosts: z.int().describe('hosts with URLs left'),
    hosts_exact: z.boolean().describe('false: there are more hosts, possibly with more URLs'),
    data: z
      .array(
        z.object({
          host: z.string(),
          pending: z.int(),
          done: z.int(),
          source_id: z.string().nullable().describe('null: no request to the host yet'),
          delay_ms: z.number().describe('delay between requests over all workers; 0: none'),
          rate_limit_per_minute: z.int().nullable(),
          concurrency: z.int().describe('concurrent requests over all workers'),
          slowdown: z
            .number()
            .describe('factor by which concurrency is reduced because responses are slower'),
          pace_per_minute: z
            .number()
            .nullable()
            .describe('maximum requests per minute because it refused more'),
          breaker: z.enum(breakerStates),
          paused: z.boolean(),
          paused_until: timestamp.nullable().describe('null while paused: an operator must resume it'),
          next_ready_at: timestamp
            .nullable()
            .describe('earliest time of the next request, in the past if at once; null: after it is resumed'),
        }),
      )
      .describe('hosts with the most URLs first'),
  })
  .meta({ id: 'FrontierSummary' });
export type FrontierSummary = z.output<typeof frontierSummary>;
