import { HoldfastApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { HoldfastTimeoutError } from './connection-error.ts';
import { Deadline } from './deadline.ts';
import { isPassing } from './is-passing.ts';
import type { Jobs } from './jobs.ts';
import type { JobProgress, JobStatus, ShownJob } from './operations.ts';
import { wait } from './wait.ts';

export interface WaitOptions {
  /** Rejects with a HoldfastTimeoutError after this time; default: never. The job continues. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at the start and on every progress. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

/** A job in one of these statuses continues only if someone retries it. */
export const terminalStatuses: readonly JobStatus[] = ['completed', 'failed', 'cancelled', 'expired'];
const lookEveryMs = 20_000;

/** Resolves with the job when it has ended, with any outcome. A paused job has not ended. */
export async function waitFor(jobs: Jobs, id: string, options: WaitOptions = {}): Promise<ShownJob> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const deadline = new Deadline(signal);
  deadline.set(timeoutMs);
  try {
    // The stream reports at once; polling helps where a proxy buffers the stream.
    return await Promise.race([
      followToEnd(jobs, id, deadline.signal, onProgress),
      lookForEnd(jobs, id, deadline.signal),
    ]);
  } catch (error) {
    signal?.throwIfAborted();
    if (!deadline.isOver || error instanceof HoldfastApiError) throw error;
    throw new HoldfastTimeoutError(`Job ${id} did not end within ${timeoutMs} ms`);
  } finally {
    deadline.abort();
  }
}

async function followToEnd(
  jobs: Jobs,
  id: string,
  signal: AbortSignal,
  onProgress: WaitOptions['onProgress'],
): Promise<ShownJob> {
  for await (const message of jobs.stream(id, { signal })) {
    // Not from its events: a job whose lease ran out is `expired` only in passing.
    if (message.type !== 'progress') continue;
    onProgress?.(message.data);
    if (!terminalStatuses.includes(message.data.status)) continue;
    const job = await insist(() => jobs.get(id, { signal }), signal);
    // It may have been retried in the meantime.
    if (terminalStatuses.includes(job.status)) return job;
  }
  throw new Error('a stream has no end');
}

async function lookForEnd(jobs: Jobs, id: string, signal: AbortSignal): Promise<ShownJob> {
  for (;;) {
    await wait(lookEveryMs, signal);
    const job = await insist(() => jobs.get(id, { signal }), signal);
    if (terminalStatuses.includes(job.status)) return job;
  }
}

/** Waiting survives an unreachable server. */
async function insist<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await wait(backoff(failures), signal);
    }
  }
}
