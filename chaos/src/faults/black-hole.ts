import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { steadily } from './restarts.ts';

export const blackHole: Fault = {
  id: 'F7',
  title: 'the line to the database swallows everything for six leases, without a word',
  run: (run) =>
    steadily(
      run,
      async (stage, throughput) => {
        const { wire } = stage;
        if (!wire) throw new Error('the stage has no wire');
        const { leaseSeconds } = run.timings;
        const before = await throughput.measure();
        wire.isDark = true;
        const darkAt = performance.now();
        await delay(6 * leaseSeconds * 1000);
        const last = Math.max(...stage.origins.map(({ log }) => log.at(-1)?.at ?? 0));
        const noticed = Math.round(last - darkAt);
        if (noticed > leaseSeconds * 1000) run.blame(`requests went on for ${noticed} ms without a database`);
        wire.isDark = false;
        const since = performance.now();
        const back = await throughput.back(before, since, 30);
        if (back === undefined) run.blame('less than 80 % of the throughput within 30 s');
        return { dark_seconds: 6 * leaseSeconds, last_request_ms: noticed, back_seconds: back ?? 'not' };
      },
      { wired: true, endsRuns: true },
    ),
};
