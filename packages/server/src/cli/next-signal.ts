/** Resolves with the first signal to stop; a second one calls `hurry`, and ends the process at once. */
export function nextSignal(hurry: () => void = () => {}): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        for (const again of ['SIGINT', 'SIGTERM'] as const) {
          process.removeAllListeners(again);
          process.once(again, () => {
            hurry();
            process.exit(1);
          });
        }
        resolve(signal);
      });
    }
  });
}
