import type { Logger } from 'pino';

export interface RegularTask {
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
  const timer = setInterval(() => {
    running ??= turn(stopping.signal)
      .then(
        () => {},
        (error: unknown) =>
          log.warn({ err: error }, `${name} failed; it is tried again in ${everySeconds} s`),
      )
      .finally(() => {
        running = undefined;
      });
  }, everySeconds * 1000);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
