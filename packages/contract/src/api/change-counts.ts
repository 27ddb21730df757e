import { z } from 'zod';

/** What became of the pages of a recrawl since the crawl that it is compared with. */
export const changeCounts = z
  .object({
    baseline: z.uuid().describe('baseline job of the recrawl'),
    new: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    gone: z.int(),
  })
  .meta({ id: 'ChangeCounts' });
