import { whenParentGoes } from './when-parent-goes.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves with the first signal to stop; a second one calls `hurry`, and ends the process at once. */
export function nextSignal(hurry: () => void = () => {}): Promise<string> {
  return new Promise((resolve) => {
    const stop = (why: string) => {
      forgetParent();
      for (const signal of signals) {
        process.removeAllListeners(signal);
        process.once(signal, () => {
          hurry();
          process.exit(1);
        });
      }
      resolve(why);
    };
    const forgetParent = whenParentGoes(() => stop('npm has ended'));
    for (const signal of signals) process.once(signal, () => stop(signal));
  });
}
