/** The result, or an immediate rejection with the signal's reason. Removes its listener. */
export async function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    result.catch(() => undefined);
  }
}
