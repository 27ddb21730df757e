import { readConfiguration } from '@holdfast/contract';
import { Pool as HttpPool } from 'undici';
import { startServer } from '../../packages/server/src/api/start-server.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';
import type { BenchServer } from './bench-server.ts';
import { type Filled, fillLists, type ListSizes } from './fill-lists.ts';
import type { Outcome } from './main.ts';
import { printTable } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { percentile, round } from './statistics.ts';

const small: ListSizes = { jobs: 1_000, pages: 5_000 };
const large: ListSizes = { jobs: 1_000_000, pages: 5_000_000 };
const samples = 30;
const floor = { times: 3, ms: 200 };
const goal = { times: 1.5, ms: 100 };
/** Below this, a ratio says more of the clock than of the list. */
const noiseMs = 2;

/** What the console asks for, view by view, with the filters people use. */
const lists: readonly (readonly [name: string, path: (filled: Filled) => string])[] = [
  ['overview', () => '/stats'],
  ['jobs', () => '/jobs?limit=50'],
  ['jobs, failed', () => '/jobs?limit=50&status=failed'],
  ['jobs, completed', () => '/jobs?limit=50&status=completed'],
  ['jobs, crawls', () => '/jobs?limit=50&kind=crawl'],
  ['jobs, waiting', () => '/jobs?limit=50&status=retryable'],
  ['pages', () => '/pages?limit=50'],
  ['pages of a job', ({ crawl }) => `/jobs/${crawl}/pages?limit=50`],
  ['failed pages of a job', ({ crawl }) => `/jobs/${crawl}/pages?limit=50&outcome=failed`],
  ['errors of a job', ({ crawl }) => `/jobs/${crawl}/errors`],
  ['events of a job', ({ crawl }) => `/jobs/${crawl}/events?limit=100`],
  ['progress of a job', ({ crawl }) => `/jobs/${crawl}/progress`],
  ['pages, failed', () => '/pages?limit=50&outcome=failed'],
  ['newest pages of a job', ({ crawl }) => `/jobs/${crawl}/pages?limit=50&order=newest`],
  ['frontier of a job', ({ crawl }) => `/jobs/${crawl}/frontier`],
  ['policies', () => '/policies?limit=50'],
  ['policies, disabled', () => '/policies?limit=50&enabled=false'],
  ['results', () => '/results?limit=50'],
  ['results in EUR', () => '/results?limit=50&currency=EUR'],
  ['results, out of stock', () => '/results?limit=50&in_stock=false'],
  ['price changes', () => '/price-changes?limit=50'],
  ['price history', ({ visitUrl }) => `/price-history?url=${encodeURIComponent(visitUrl)}`],
  ['sources', () => '/sources?limit=50'],
  ['sources, configured', () => '/sources?limit=50&configured=true'],
  ['sources, blocked', () => '/sources?limit=50&blocked=true'],
  ['intakes', () => '/intakes?limit=50'],
  ['intakes, no valuation', () => '/intakes?limit=50&valued=false'],
  ['intakes, confident', () => '/intakes?limit=50&confidence_min=6'],
  ['intakes of a common tag', () => '/intakes?limit=50&tag=coins'],
  ['intakes of a rare tag', () => '/intakes?limit=50&tag=box-7'],
  ['jobs of an intake', ({ intake }) => `/jobs?limit=50&intake_id=${intake}`],
  ['prices of an intake', ({ intake }) => `/price-points?limit=50&intake_id=${intake}`],
  ['valuations', () => '/valuations?limit=50'],
  ['bots', () => '/bots?limit=50'],
  ['workers', () => '/workers?limit=50'],
  ['keys', () => '/keys?limit=50'],
  ['deliveries of a webhook', ({ webhook }) => `/webhooks/${webhook}/deliveries?limit=50`],
  ['pending deliveries', ({ webhook }) => `/webhooks/${webhook}/deliveries?limit=50&status=pending`],
  ['delivered deliveries', ({ webhook }) => `/webhooks/${webhook}/deliveries?limit=50&status=delivered`],
  // Words are in no index: a part of the newest rows is looked at, and the answer says where to go on.
  ['jobs, search', () => '/jobs?limit=50&search=old/1'],
  ['jobs, search without match', () => '/jobs?limit=50&search=nowhere'],
  ['failed jobs, search without match', () => '/jobs?limit=50&status=failed&search=nowhere'],
  ['pages, search', () => '/pages?limit=50&search=page/77'],
  ['pages of a job, search without match', ({ crawl }) => `/jobs/${crawl}/pages?limit=50&search=nowhere`],
  ['policies, search', () => '/policies?limit=50&search=item/7'],
  ['policies, search without match', () => '/policies?limit=50&search=nowhere'],
  ['results in an unused currency', () => '/results?limit=50&currency=CHF'],
  ['intakes, search', () => '/intakes?limit=50&search=dollar%204'],
  ['intakes, search without match', () => '/intakes?limit=50&search=nowhere'],
];

export async function measure(server: BenchServer): Promise<Outcome> {
  return server.withDatabase('bench_lists_small', (smallUrl) =>
    server.withDatabase('bench_lists_large', async (largeUrl) => {
      console.log(`  filling ${large.jobs} jobs and ${large.pages} pages; this takes minutes`);
      const few = await Lists.open(smallUrl, small);
      const many = await Lists.open(largeUrl, large);
      try {
        const rows = [];
        for (const [name, path] of lists) rows.push({ name, ...(await compare(few, many, path)) });
        return report(rows);
      } finally {
        await few.close();
        await many.close();
      }
    }),
  );
}

interface Row {
  readonly name: string;
  readonly small_ms: number;
  readonly large_ms: number;
  readonly slowest_ms: number;
  readonly times: number;
}

async function compare(
  few: Lists,
  many: Lists,
  path: (filled: Filled) => string,
): Promise<Omit<Row, 'name'>> {
  const times = { few: [] as number[], many: [] as number[] };
  for (let sample = 0; sample < samples; sample++) {
    times.few.push(await few.time(path));
    times.many.push(await many.time(path));
  }
  const [small_ms, large_ms] = [percentile(times.few, 0.5), percentile(times.many, 0.5)];
  return {
    small_ms: round(small_ms),
    large_ms: round(large_ms),
    slowest_ms: round(Math.max(...times.many)),
    times: round(Math.max(large_ms, noiseMs) / Math.max(small_ms, noiseMs)),
  };
}

function report(rows: readonly Row[]): Outcome {
  const table = printTable(
    ['list', '1,000 jobs, ms', '1,000,000 jobs, ms', 'slowest', 'ratio'],
    rows.map(({ name, small_ms, large_ms, slowest_ms, times }) => [
      name,
      `${small_ms}`,
      `${large_ms}`,
      `${slowest_ms}`,
      `${times} ×`,
    ]),
  );
  const worst = Math.max(...rows.map(({ times }) => times));
  const slowest = Math.max(...rows.map(({ large_ms }) => large_ms));
  const within = (bound: typeof floor) => worst <= bound.times && slowest <= bound.ms;
  return {
    table,
    pass: within(floor),
    figures: {
      lists: rows,
      worst_times: worst,
      slowest_p50_ms: slowest,
      floor,
      goal,
      goal_reached: within(goal),
    },
  };
}

/** The API over a filled database, asked as the console asks it. */
class Lists {
  readonly #http: HttpPool;
  readonly #key: string;
  readonly #filled: Filled;
  readonly #stop: () => Promise<void>;

  private constructor(address: string, key: string, filled: Filled, stop: () => Promise<void>) {
    this.#http = new HttpPool(address);
    this.#key = key;
    this.#filled = filled;
    this.#stop = stop;
  }

  static async open(url: string, sizes: ListSizes): Promise<Lists> {
    const configuration = readConfiguration({ DATABASE_URL: url, HOLDFAST_PORT: '0' });
    const database = await openDatabase(configuration, quietLog, { name: 'bench console' });
    const filled = await fillLists(database.pool, sizes);
    const { secret } = await createKey(database.pool, { name: 'bench', user_id: 'local', scopes: ['admin'] });
    const server = await startServer(configuration, database, quietLog);
    return new Lists(server.address, secret, filled, async () => {
      await server.close();
      await database.close();
    });
  }

  async time(path: (filled: Filled) => string): Promise<number> {
    const started = performance.now();
    const answer = await this.#http.request({
      method: 'GET',
      path: `/api/v1${path(this.#filled)}`,
      headers: { authorization: `Bearer ${this.#key}` },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200)
      throw new Error(`${path(this.#filled)}: ${answer.statusCode} ${text.slice(0, 500)}`);
    return performance.now() - started;
  }

  async close(): Promise<void> {
    await this.#http.close();
    await this.#stop();
  }
}
