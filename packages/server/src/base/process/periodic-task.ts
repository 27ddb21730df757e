import type { Logger } from 'pino';

export interface PeriodicTask {
  /** Runs a turn now, or another one right after the turn in progress. */
  soon(): void;
  /** Resolves when no turn is in progress and none will start. */
  stop(): Promise<void>;
}

/** Runs `turn` every `everySeconds`, one turn at a time. A failed turn is logged; the next one runs anyway. */
export function runPeriodically(
  name: string,
  everySeconds: number,
  log: Logger,
  turn: (signal: AbortSignal) => Promise<unknown>,
): PeriodicTask {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isAsked = false;
  const begin = () => {
    if (running) return;
    isAsked = false;
    running = turn(stopping.signal)
      .then(
        () => {},
        (error: unknown) => log.warn({ err: error }, `${name} failed; trying again in ${everySeconds} s`),
      )
      .finally(() => {
        running = undefined;
        if (isAsked && !stopping.signal.aborted) begin();
      });
  };
  const timer = setInterval(begin, everySeconds * 1000);
  return {
    soon() {
      if (running) isAsked = true;
      else if (!stopping.signal.aborted) begin();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
