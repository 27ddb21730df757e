import type { EmbeddedServer } from './embedded-server.ts';
import { runServerProgram } from './server-program.ts';

/** Stops the server and waits until it is gone. */
export async function stopServer({ account, binaries, cluster, log }: EmbeddedServer): Promise<void> {
  const args = ['stop', '-D', cluster.data, '-m', 'fast', '-w', '-t', '120'];
  const { code, output } = await runServerProgram(account, binaries.pgCtl, args);
  if (code === 0) log.debug({ folder: cluster.path }, 'Stopped the embedded PostgreSQL');
  else log.warn({ folder: cluster.path, reason: output }, 'The embedded PostgreSQL was not stopped');
}
