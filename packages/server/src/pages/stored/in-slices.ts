import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work as a generator: it yields now and then, and returns its result. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs to the end without giving way. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Gives the event loop a turn after each slice of time, so that no request waits much longer than that. */
export async function inSlices<Result>(steps: Steps<Result>, sliceMs = 10): Promise<Result> {
  for (let sliceEnds = performance.now() + sliceMs; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + sliceMs;
  }
}
