// admin_shutdown, crash_shutdown, cannot_connect_now (starts or stops), too_many_connections (of sessions cut off).
const states = new Set(['57P01', '57P02', '57P03', '53300']);
const codes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Whether the error says that the server stopped, stops or starts, so that it is worth to look again. */
export function isServerGone(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    states.has(code) ||
    codes.has(code) ||
    /^Connection terminated|not queryable|timeout expired/.test(message)
  );
}
