/** Resolves after a delay; rejects with the signal's reason when it is aborted. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    // Longer delays would overflow the timer and fire at once.
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
