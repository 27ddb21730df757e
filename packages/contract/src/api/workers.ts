import { z } from 'zod';
import { text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

/**
 * alive: sends heartbeats; sick: its runners die before their first request, so it only tries one job now and then;
 * draining: it claims no more jobs; silent: it missed several heartbeats.
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
      .describe('the browser that renders its pages; null: none, or not visible to this key'),
    browser_problem: z
      .string()
      .nullable()
      .describe('why it cannot render pages; null: it can, or it is not visible'),
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
