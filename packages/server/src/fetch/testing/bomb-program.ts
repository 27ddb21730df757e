import { HoldfastError } from '@holdfast/contract';
import { HttpFetcher } from '../http-fetcher.ts';

/** Fetches /warm-up and then each path given, and prints by how much each of these raised this process's peak memory. */
const [origin = '', ...paths] = process.argv.slice(2);
const fetcher = new HttpFetcher({ allowOrigins: [origin] });
for (let round = 0; round < 50; round++) await fetcher.fetch({ url: `${origin}/warm-up` });

for (const path of paths) {
  const before = process.memoryUsage().rss;
  const outcome = await fetcher
    .fetch({ url: `${origin}${path}`, limits: { maxRatio: Number.POSITIVE_INFINITY } })
    .then(
      ({ body }) => `${body?.length} bytes`,
      (error: unknown) => (error instanceof HoldfastError ? error.code : String(error)),
    );
  const grownMb = (process.resourceUsage().maxRSS * 1024 - before) / (1024 * 1024);
  console.log(JSON.stringify({ path, outcome, grownMb: Math.round(grownMb * 10) / 10 }));
}
await fetcher.close();
