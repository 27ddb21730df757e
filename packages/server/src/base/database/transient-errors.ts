import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 250;

/**
 * SQLSTATEs: connection (08), rolled back for others' sake (40), resources (53), operator (57), a lock not had in time. 25006,
 * no writes: during a failover a proxy may lead to a standby. Of the system: a network or a resolver that is away. ENOTFOUND
 * too: whoever repeats has had an answer from this database before, so its name is not misspelt; the DNS of Kubernetes does
 * not know the name of a service without addresses while none of its servers is ready.
 */
const passingCodes =
  /^(08|40|53|57|55P03|25006|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND)/;

/** The connection or the server is at fault, not the statement: repeating it may help. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  // A name with several addresses fails with one error for each; one of them that may answer later is enough.
  if (error instanceof AggregateError && error.errors.some(isTransient)) return true;
  if (code === undefined) return /terminated|timeout|Connection/i.test(message ?? '');
  return passingCodes.test(code);
}

/** Repeats a statement that may be repeated while the database is away, as long as `mayGoOn` says so. */
export async function retryTransient<Result>(
  mayGoOn: () => boolean,
  write: () => Promise<Result>,
  onFailure: (error: unknown) => void = () => {},
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error) || !mayGoOn()) throw error;
      onFailure(error);
      await delay(retryMs);
    }
  }
}

/** The same for the run of a job: while it holds its lease, has time left and was not told to stop. */
export function retryWhileLeased<Result>(
  { leaseEnds, signal }: { readonly leaseEnds: () => number; readonly signal: AbortSignal },
  write: () => Promise<Result>,
): Promise<Result> {
  return retryTransient(() => !signal.aborted && performance.now() < leaseEnds(), write);
}
