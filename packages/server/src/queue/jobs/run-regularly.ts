import type { Logger } from 'pino';

export interface RegularTask {
  /** Takes a turn now, or another one as soon as that under way has ended. */
  soon(): void;
  /** Resolves when no turn is under way and none will come. */
  stop(): Promise<void>;
}

/** Runs `turn` every so many seconds, one turn at a time. A turn that fails is logged, and the next one comes anyway. */
export function runRegularly(
  name: string,
  everySeconds: number,
  log: Logger,
  turn: (signal: AbortSignal) => Promise<unknown>,
): RegularTask {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isAsked = false;
  const begin = () => {
    if (running) return;
    isAsked = false;
    running = turn(stopping.signal)
      .then(
        () => {},
        (error: unknown) =>
          log.warn({ err: error }, `${name} failed; it is tried again in ${everySeconds} s`),
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
