import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 250;

/**
 * SQLSTATEs: connection (08), rollback (40), resources (53), operator intervention (57), lock timeout; 25006, a read-only
 * server, because a proxy may lead to a standby during a failover. System errors: network or resolver unavailable. ENOTFOUND is
 * among them because callers have reached this database before: in Kubernetes a service without a ready server has no address.
 */
const transientCodes =
  /^(08|40|53|57|55P03|25006|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND)/;

/** Whether the connection or the server failed, not the statement, so that repeating it may help. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  // A name with several addresses fails with one error for each; one that is transient is enough.
  if (error instanceof AggregateError && error.errors.some(isTransient)) return true;
  if (code === undefined) return /terminated|timeout|Connection/i.test(message ?? '');
  return transientCodes.test(code);
}

/** Repeats an idempotent statement during an outage of the database, as long as `mayContinue` returns true. */
export async function retryTransient<Result>(
  mayContinue: () => boolean,
  write: () => Promise<Result>,
  onFailure: (error: unknown) => void = () => {},
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error) || !mayContinue()) throw error;
      onFailure(error);
      await delay(retryMs);
    }
  }
}

/** The same for the run of a job: until its lease ends or its signal is aborted. */
export function retryWhileLeased<Result>(
  { leaseEnds, signal }: { readonly leaseEnds: () => number; readonly signal: AbortSignal },
  write: () => Promise<Result>,
): Promise<Result> {
  return retryTransient(() => !signal.aborted && performance.now() < leaseEnds(), write);
}
