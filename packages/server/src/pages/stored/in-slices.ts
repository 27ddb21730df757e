import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that yields now and then, and returns its result. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does it at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does it between other things: nobody waits much longer than this for the event loop. */
export async function inSlices<Result>(steps: Steps<Result>, sliceMs = 10): Promise<Result> {
  for (let sliceEnds = performance.now() + sliceMs; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + sliceMs;
  }
}
