import { HoldfastConnectionError, HoldfastTimeoutError } from './connection-error.ts';
import type { Deadline } from './deadline.ts';

/** The text of an answer as it comes. It is lost when it breaks off, or is silent for so long; `what` names it then. */
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
    // Who reads may take its time with what has come.
    deadline.set(Number.POSITIVE_INFINITY);
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
