import { HoldfastConnectionError, HoldfastTimeoutError } from './connection-error.ts';
import type { Deadline } from './deadline.ts';

/**
 * Streams the text of a response. Fails when the connection breaks or is silent for too long; `what` names the response
 * in the error.
 */
export async function* readBody(
  { body }: Response,
  what: string,
  deadline: Deadline,
  silenceMs: number,
): AsyncGenerator<string, void, undefined> {
  if (!body) return;
  const chunks = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    deadline.set(silenceMs);
    const { value, done } = await deadline.within(chunks.read()).catch((error: unknown) => {
      throw deadline.isOver
        ? new HoldfastTimeoutError(`${what} was silent for ${silenceMs} ms`, { cause: error })
        : HoldfastConnectionError.of(error, `${what} broke off`);
    });
    // The time of the reader does not count.
    deadline.set(Number.POSITIVE_INFINITY);
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
