import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '@holdfast/contract';
import type { Server } from '../api/start-server.ts';

/** Lets load balancers see that it is not ready, and send their requests elsewhere, before it stops listening. */
export async function closeServer(
  server: Server,
  { drainSeconds }: Pick<Configuration, 'drainSeconds'>,
): Promise<void> {
  server.drain();
  if (drainSeconds > 0) await wait(drainSeconds * 1000);
  await server.close();
}
