const lookMs = 500;
/** From the start: it may go while the command still gets ready. */
const parent = process.ppid;

/**
 * npm passes a signal to the shell that it runs a script in, and the shell dies of it without a word to what it runs: under
 * `npm start` and `npx holdfast`, the end of that shell is the signal. Elsewhere a parent may well end before us.
 */
export function whenParentGoes(react: () => void): () => void {
  const { npm_lifecycle_event: script } = process.env;
  if (script !== 'start' && script !== 'npx') return () => {};
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    react();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
