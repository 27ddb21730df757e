import { HoldfastError } from '@holdfast/contract';
import { serversOf } from './servers-of.ts';

export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

/** Where a connection string points, without its secrets; the first of its servers, if there are several. */
export function databaseAddress(url: string): DatabaseAddress {
  try {
    const [first = url] = serversOf(url);
    const { hostname, port, pathname, searchParams } = new URL(first);
    const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
    const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
    return { host, port: Number(searchParams.get('port') ?? port) || 5432, database };
  } catch {
    // Without the cause: its text has the whole URL in it, and so the password.
    throw new HoldfastError('config_invalid', 'DATABASE_URL is not a valid URL', {
      hint: 'Write it as postgresql://user:password@host:5432/database, with special characters percent-encoded.',
    });
  }
}

const certificateErrors = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_/;

export function databaseUnavailable(
  error: unknown,
  { host, port, database }: DatabaseAddress,
): HoldfastError {
  const { code = '', message, errors } = error as { code?: string; message?: string; errors?: Error[] };
  // For a name with several addresses Node reports all failures in one error that has no text of its own.
  const reason = message || errors?.[0]?.message || code || 'unknown reason';
  const detail = `database ${database} at ${host}:${port}: ${reason}`;
  return new HoldfastError('database_unavailable', detail, {
    cause: error,
    ...(certificateErrors.test(code) && {
      hint: 'Name the certificate authority with sslrootcert=… in DATABASE_URL, or do without with sslmode=no-verify.',
    }),
  });
}
