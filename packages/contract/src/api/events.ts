import { z } from 'zod';
import { jobKinds, jobStatuses, type TransitionName, transitionNames } from '../job-lifecycle.ts';
import { text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryList, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const event = z.object({
  event_no: z.int().describe('number of the event within its job, from 1'),
  transition: z.enum(transitionNames as [TransitionName, ...TransitionName[]]),
  from_status: z.enum(jobStatuses).nullable(),
  to_status: z.enum(jobStatuses),
  fence: z.int(),
  at: timestamp,
  actor: z.string(),
  reason: z.string().nullable(),
});
export const jobEvent = event.meta({ id: 'JobEvent' });

export const eventListQuery = z.strictObject({
  limit: pageLimit,
  cursor: queryNumber(0, 2_147_483_647).optional().describe('only events after this one'),
});
export const eventList = pageOf(jobEvent);

/** A `transition` message of the event stream. */
export const streamEvent = z
  .object({ job_id: z.uuid(), kind: z.enum(jobKinds), user_id: z.string(), ...event.shape })
  .meta({ id: 'StreamEvent' });
/** Inside, with Dates. */
export type StreamEvent = z.output<typeof streamEvent>;

const lastEventId = text(200).optional().describe('same as the header Last-Event-ID, which takes precedence');

export const eventStreamQuery = z.strictObject({
  kind: z.enum(jobKinds).optional(),
  status: queryList(z.enum(jobStatuses), jobStatuses.length)
    .optional()
    .describe('only events that led to one of these statuses'),
  job: z.uuid().optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  last_event_id: lastEventId,
});
export const jobStreamQuery = z.strictObject({ last_event_id: lastEventId });
