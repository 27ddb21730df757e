import { resultListQuery } from '@holdfast/contract';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import { asCalled } from '../../base/process/installation.ts';
import { searchResults } from '../../shop/results/find-results.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatAgo } from '../format-values.ts';
import { addListOptions, printMore, wholePage } from '../list-options.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

interface ListOptions {
  json?: true;
  url?: string;
  policy?: string;
  job?: string;
  currency?: string;
  inStock?: 'true' | 'false';
  since?: string;
  until?: string;
  user?: string;
  limit: number;
  after?: string;
}

const examples = `
A result is what a visit found on a page: price, currency, title and stock. Every successful visit has one, whether a worker
or a bot made it.

  holdfast jobs create visit https://shop.example/item
  holdfast results list --url https://shop.example/item      its price over time, newest first
  holdfast results list --job ID                             the result of one visit
  holdfast results list --since 2030-01-31T08:00:00Z --in-stock true --json

See docs/guides/watch-prices.md.`;

const noneYet = 'No results yet. Visit a page: holdfast jobs create visit https://shop.example/item';

const list = addListOptions(
  new Command('list')
    .description('list results, newest first')
    .option('--url <url>', 'only of this page')
    .option('--policy <id>', 'only of this policy')
    .option('--job <id>', 'only of this visit')
    .option('--currency <code>', 'only in this currency')
    .addOption(new Option('--in-stock <answer>', 'only with this stock state').choices(['true', 'false']))
    .option('--since <time>', 'visited at this time or later, such as 2030-01-31T08:00:00Z')
    .option('--until <time>', 'visited before this time')
    .option('--user <id>', 'only of this owner'),
  'result',
)
  .option('--json', 'print JSON')
  .action(({ json, ...options }: ListOptions, command: Command) => {
    const { limit, cursor, ...filter } = readQuery(options);
    return withDatabase(command, async ({ database }) => {
      const { rows, next } = await wholePage({ limit, after: cursor }, (range) =>
        searchResults(database.pool, { filter, ...range }),
      );
      if (json) return console.log(JSON.stringify(rows));
      if (rows.length === 0) {
        const isFiltered = [cursor, ...Object.values(filter)].some((value) => value !== undefined);
        return console.log(isFiltered ? 'No matching results.' : asCalled(noneYet));
      }
      printTable(
        ['ID', 'PRICE', 'CURRENCY', 'IN STOCK', 'CRAWLED', 'BY', 'TITLE', 'URL'],
        rows.map((result) => [
          result.id,
          (result.price ?? '').padStart(12),
          result.currency ?? '',
          result.in_stock === null ? '' : result.in_stock ? 'yes' : 'no',
          formatAgo(result.crawled_at),
          result.actor,
          (result.title ?? '').slice(0, 40),
          result.url,
        ]),
      );
      printMore(next);
    });
  });

function readQuery(options: ListOptions): z.output<typeof resultListQuery> {
  const given = {
    url: options.url,
    policy_id: options.policy,
    job_id: options.job,
    currency: options.currency,
    in_stock: options.inStock,
    crawled_after: options.since,
    crawled_before: options.until,
    user_id: options.user,
    limit: options.limit,
    cursor: options.after,
  };
  return checkFlags(resultListQuery, given, (field) => otherFlags[field] ?? flagOf(field));
}

/** Flags that are not named after their field. */
const otherFlags: Readonly<Record<string, string>> = {
  policy_id: '--policy',
  job_id: '--job',
  crawled_after: '--since',
  crawled_before: '--until',
  user_id: '--user',
  cursor: '--after',
};

export const resultsCommand = new Command('results')
  .description('list the results of visits: prices, titles, stock')
  .addHelpText('after', examples)
  .addCommand(list);
