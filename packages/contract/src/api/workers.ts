import { z } from 'zod';
import { text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

/**
 * alive: heard of lately; sick: its runners die before their first request, so it has stopped claiming and only tries one job
 * now and then; draining: it takes no more jobs; silent: not heard of for several heartbeats.
 */
export const workerStates = ['alive', 'sick', 'draining', 'silent'] as const;

export const apiWorker = z
  .object({
    id: z.string(),
    state: z.enum(workerStates),
    trouble: z
      .string()
      .nullable()
      .describe('why it stopped claiming jobs; null: it did not, or not visible to this key'),
    host: z.string().nullable().describe('null: not visible to this key'),
    pid: z.int().nullable(),
    version: z.string(),
    browser: z
      .string()
      .nullable()
      .describe('what renders its pages; null: nothing, or not visible to this key'),
    browser_problem: z
      .string()
      .nullable()
      .describe('why it cannot render pages; null: it can, or not visible'),
    max_jobs: z.int(),
    running_jobs: z.int(),
    started_at: timestamp,
    last_seen: timestamp,
  })
  .meta({ id: 'Worker' });
/** Inside, with Dates. */
export type ApiWorker = z.output<typeof apiWorker>;

export const workerListQuery = z.strictObject({
  silent: queryBoolean.optional().describe('true: only silent workers; false: only the others'),
  limit: pageLimit,
  cursor: text(100).optional(),
});
export const workerList = pageOf(apiWorker);
