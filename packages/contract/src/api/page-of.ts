import { z } from 'zod';

/** One page of a list. A search that examined many rows may return a short page: continue until next_cursor is null. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null at the end'),
  });

/** The JSON form of a page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
