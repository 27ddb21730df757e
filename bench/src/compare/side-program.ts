// One state of the product in a comparison, with a database server of its own: does a lap whenever it is told to.
import { on } from 'node:events';
import { benchmarks } from '../../benchmarks.mjs';
import { BenchServer } from '../bench-server.ts';
import type { WithLaps } from './laps.ts';

const { file } = benchmarks.find(({ id }) => id === process.argv[2]) ?? { file: '' };
// Whoever ends this early ends the parent, whose channel says so.
process.once('disconnect', () => process.exit(1));
const messages = on(process, 'message');
const { withLaps } = (await import(new URL(`../../${file}`, import.meta.url).href)) as {
  withLaps: WithLaps;
};
const server = await BenchServer.start();
try {
  await withLaps(server, async (lap) => {
    process.send?.('ready');
    for await (const [message] of messages) {
      if (message === 'end') break;
      process.send?.(await lap());
    }
  });
} finally {
  await server.stop();
}
process.removeAllListeners('disconnect');
process.disconnect?.();
