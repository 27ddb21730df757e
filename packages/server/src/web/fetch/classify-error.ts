import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { errors as undici } from './undici-parts.ts';

/**
 * Failed lookups are retried later: offline machines may report ENOTFOUND too (macOS does), and a crawl must survive that
 * instead of failing all of its remaining URLs.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  ENOTFOUND: 'dns_failed',
  ENODATA: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EAI_FAIL: 'dns_failed',
  EAI_NODATA: 'dns_failed',
  EAI_NONAME: 'dns_failed',
  ETIMEDOUT: 'fetch_timed_out',
  EPROTO: 'tls_failed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_failed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_failed',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_failed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_failed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_failed',
  HOSTNAME_MISMATCH: 'tls_failed',
  INVALID_CA: 'tls_failed',
  INVALID_PURPOSE: 'tls_failed',
  UND_ERR_HEADERS_OVERFLOW: 'response_invalid',
  // A header or path with invalid characters.
  UND_ERR_INVALID_ARG: 'bad_request',
  UND_ERR_NOT_SUPPORTED: 'bad_request',
};

const families: readonly [prefix: string, code: ErrorCode][] = [
  ['ERR_TLS_', 'tls_failed'],
  ['ERR_SSL_', 'tls_failed'],
  ['CERT_', 'tls_failed'],
  ['CRL_', 'tls_failed'],
];

/** Converts an error of the resolver, socket, TLS or HTTP parser. */
export function classifyError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  // It has no code in undici 7.
  if (error instanceof undici.HTTPParserError) return parserError(error);
  const { code: given, message = String(error) } = error as NodeJS.ErrnoException;
  // The code of an AbortError is a number.
  const code = typeof given === 'string' ? given : '';
  const known = codes[code] ?? families.find(([prefix]) => code.startsWith(prefix))?.[1];
  // Anything else is a refused, reset or truncated connection (UND_ERR_SOCKET, UND_ERR_RES_CONTENT_LENGTH_MISMATCH).
  return new HoldfastError(known ?? 'connection_failed', describe(code, message), { cause: error });
}

function parserError(error: Error): HoldfastError {
  const reason = /\((.*)\)$/.exec(error.message)?.[1] ?? error.message;
  if (reason === 'Invalid EOF state')
    return new HoldfastError('connection_failed', endedEarly, { cause: error });
  return new HoldfastError('response_invalid', reason, { cause: error });
}

const endedEarly = 'the body ended early';

/** The code instead of the message: Node's contain the address, and pages of allow-listed origins show their errors. */
function describe(code: string, message: string): string {
  if (code === 'UND_ERR_SOCKET') return 'the connection was closed before the answer was complete';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return endedEarly;
  return code.startsWith('UND_ERR_') ? message : code || message;
}
