import { pageLimit } from '@holdfast/contract';
import type { Command } from 'commander';
import { z } from 'zod';
import type { SearchPage } from '../base/database/bounded-search.ts';
import { checkFlags } from './check-flags.ts';
import { wholeNumber } from './option-values.ts';

/** Options of a list that is read page by page. */
export function addListOptions(command: Command, noun: string): Command {
  return command
    .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
    .option('--after <id>', `start after this ${noun}, the last one of the previous page`);
}

const limited = z.object({ limit: pageLimit });

/** Applies the limits that the API has. */
export function checkLimit(limit: number | undefined): void {
  checkFlags(limited, { limit });
}

/** Reads on until the page is full: one call looks at a bounded part of a large table. */
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

/** How to see the next page, if there may be one. */
export function printMore(next: string | number | null | undefined): void {
  if (next !== null && next !== undefined) console.log(`\nMore: --after ${next}`);
}
