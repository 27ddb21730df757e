import { z } from 'zod';

/** Page counts of a recrawl, compared with its baseline. */
export const changeCounts = z
  .object({
    baseline: z.uuid().describe('baseline job of the recrawl'),
    new: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    gone: z.int(),
  })
  .meta({ id: 'ChangeCounts' });
