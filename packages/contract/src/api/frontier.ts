import { z } from 'zod';
import { queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

/** closed: requests go through; open: none does, after too many failures; half_open: one probe decides. */
export const breakerStates = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof breakerStates)[number];

export const frontierQuery = z.strictObject({
  limit: queryNumber(1, 200).default(50).describe('how many hosts at most'),
});

export const frontierSummary = z
  .object({
    total_pending: z.int().describe('URLs found and not yet done, over all hosts'),
    hosts: z.int().describe('hosts with something left'),
    hosts_exact: z.boolean().describe('false: there are more hosts, and perhaps larger ones'),
    data: z
      .array(
        z.object({
          host: z.string(),
          pending: z.int(),
          done: z.int(),
          source_id: z.string().nullable().describe('null: nothing was asked of the host yet'),
          delay_ms: z.number().describe('between two requests, over all workers; 0: no fixed delay'),
          rate_limit_per_minute: z.int().nullable(),
          concurrency: z.int().describe('requests at a time, over all workers'),
          slowdown: z
            .number()
            .describe('how many times fewer requests at a time it gets, because its answers take longer'),
          pace_per_minute: z
            .number()
            .nullable()
            .describe('requests a minute it gets at most, because it refused more'),
          breaker: z.enum(breakerStates),
          paused: z.boolean(),
          paused_until: timestamp.nullable().describe('null while paused: until an operator resumes it'),
          next_ready_at: timestamp
            .nullable()
            .describe('when the next request may start, in the past if at once; null: when resumed'),
        }),
      )
      .describe('those with most left first'),
  })
  .meta({ id: 'FrontierSummary' });
export type FrontierSummary = z.output<typeof frontierSummary>;
