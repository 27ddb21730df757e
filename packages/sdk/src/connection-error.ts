/** No response: the API is unreachable, or the connection broke. The request may have had its effect. */
export class HoldfastConnectionError extends Error {
  override readonly name: string = 'HoldfastConnectionError';

  static from(error: unknown, url: string): HoldfastConnectionError {
    const { message, cause } = error as { message?: string; cause?: { message?: string } };
    const why = cause?.message || message || String(error);
    return HoldfastConnectionError.of(error, `Cannot reach ${url}: ${why}`);
  }

  /** Fetch and the system have their own time limits. */
  static of(error: unknown, message: string): HoldfastConnectionError {
    const Kind = isTimeout(error) ? HoldfastTimeoutError : HoldfastConnectionError;
    return new Kind(message, { cause: error });
  }
}

const timeoutCodes = [
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

function isTimeout(error: unknown): boolean {
  const { name, code, cause } = (error ?? {}) as { name?: string; code?: string; cause?: unknown };
  if (name === 'TimeoutError' || (code !== undefined && timeoutCodes.includes(code))) return true;
  return cause !== undefined && isTimeout(cause);
}

/** No response in time. */
export class HoldfastTimeoutError extends HoldfastConnectionError {
  override readonly name = 'HoldfastTimeoutError';
}
