import { benchmarks } from '../benchmarks.mjs';
import { BenchServer } from './bench-server.ts';
import type { Table } from './print-table.ts';
import { saveResult } from './report/save-result.ts';

export interface Outcome {
  /** The floor held. */
  readonly pass: boolean;
  readonly figures: Record<string, unknown>;
  /** As it was printed. */
  readonly table: Table;
  /** A part of the benchmark was run, for a look: no outcome to keep. */
  readonly partial?: boolean;
}

export type Measure = (server: BenchServer) => Promise<Outcome>;

const server = await BenchServer.start();
// The server leads its own session, so a Ctrl-C does not reach it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.stop().finally(() => process.exit(130)));
}
try {
  console.log(`Node ${process.versions.node}, ${server.describe}\n`);
  for (const { id, title, file } of benchmarks.filter((one) => process.argv.includes(one.id))) {
    console.log(`${id}  ${title}`);
    const { measure } = (await import(new URL(`../${file}`, import.meta.url).href)) as { measure: Measure };
    const { pass, figures, table, partial } = await measure(server);
    if (!partial) saveResult({ id, title, postgres: server.version, pass, figures, table });
    console.log(`${JSON.stringify({ id, pass, figures })}\n`);
    if (!pass) process.exitCode = 1;
  }
} finally {
  await server.stop();
}
