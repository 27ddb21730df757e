/** No answer: the API cannot be reached, or the connection broke. Whether a request had its effect is not known. */
export class HoldfastConnectionError extends Error {
  override readonly name: string = 'HoldfastConnectionError';

  static from(error: unknown, url: string): HoldfastConnectionError {
    const { message, cause } = error as { message?: string; cause?: { message?: string } };
    const why = cause?.message || message || String(error);
    return new HoldfastConnectionError(`Cannot reach ${url}: ${why}`, { cause: error });
  }
}

/** No answer in time. */
export class HoldfastTimeoutError extends HoldfastConnectionError {
  override readonly name = 'HoldfastTimeoutError';
}
