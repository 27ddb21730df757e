import { z } from 'zod';

/**
 * One page of a list. A search that looked through many rows without filling its page answers with what it has: go on
 * while next_cursor is not null, however short the page is.
 */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null at the end'),
  });

/** JSON shape of a page, as a client sees it. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
