const signals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves with the first signal to stop. A second one calls `onSecond` and ends the process at once. */
export function nextSignal(onSecond: () => void = () => {}): Promise<string> {
  return new Promise((resolve) => {
    const stop = (why: string) => {
      forgetParent();
      for (const signal of signals) {
        process.removeAllListeners(signal);
        process.once(signal, () => {
          onSecond();
          process.exit(1);
        });
      }
      resolve(why);
    };
    const forgetParent = onNpmExit(() => stop('npm has ended'));
    for (const signal of signals) process.once(signal, () => stop(signal));
  });
}

const pollMs = 500;
/** Read at start: npm may end while the command still gets ready. */
const parent = process.ppid;

/**
 * npm passes a signal to the shell that runs its script, and that shell ends without passing it on. So under `npm start` and
 * `npx holdfast`, the end of the parent is the signal. Elsewhere a parent may well end first.
 */
function onNpmExit(react: () => void): () => void {
  const { npm_lifecycle_event: script } = process.env;
  if (script !== 'start' && script !== 'npx') return () => {};
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    react();
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}
