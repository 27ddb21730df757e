import type { SearchPage } from '../base/database/bounded-search.ts';

/** Goes on until the page is full or nothing is left: a list looks at a part of a large table at a time. */
export async function wholePage<Row>(
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  read: (range: { limit: number; after?: string }) => Promise<SearchPage<Row>>,
): Promise<SearchPage<Row>> {
  const rows: Row[] = [];
  let next: string | null = after ?? null;
  do {
    const page: SearchPage<Row> = await read({
      limit: limit - rows.length,
      ...(next !== null && { after: next }),
    });
    rows.push(...page.rows);
    next = page.next;
  } while (next !== null && rows.length < limit);
  return { rows, next };
}
