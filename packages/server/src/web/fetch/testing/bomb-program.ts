import { readFileSync } from 'node:fs';
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
  const grownMb = (peakBytes() - before) / (1024 * 1024);
  console.log(JSON.stringify({ path, outcome, grownMb: Math.round(grownMb * 10) / 10 }));
}
await fetcher.close();

/** Of this program alone: what getrusage tells begins with the size of the process that started it. */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
