import { HoldfastApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { HoldfastTimeoutError } from './connection-error.ts';
import { Deadline } from './deadline.ts';
import { isPassing } from './is-passing.ts';
import type { Jobs } from './jobs.ts';
import type { JobProgress, JobStatus, ShownJob } from './operations.ts';
import { wait } from './wait.ts';

export interface WaitOptions {
  /** Gives up after so long, with a HoldfastTimeoutError; without it, never. The job goes on. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at once, and whenever the job has moved. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

/** A job that has one of these goes on only if someone sends it back to work. */
export const terminalStatuses: readonly JobStatus[] = ['completed', 'failed', 'cancelled', 'expired'];
const lookEveryMs = 20_000;

/** Resolves with the job when it has ended, however it did. A paused job has not. */
export async function waitFor(jobs: Jobs, id: string, options: WaitOptions = {}): Promise<ShownJob> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const deadline = new Deadline(signal);
  deadline.set(timeoutMs);
  try {
    // The stream tells at once; looking now and then helps where a proxy keeps the stream to itself.
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
    // Not by its events: a job whose lease ran out is expired only on its way.
    if (message.type !== 'progress') continue;
    onProgress?.(message.data);
    if (!terminalStatuses.includes(message.data.status)) continue;
    const job = await insist(() => jobs.get(id, { signal }), signal);
    // It may have been sent back to work meanwhile.
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

/** Who waits for a job outlasts a server that is away. */
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
