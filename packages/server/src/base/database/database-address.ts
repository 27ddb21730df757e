import { HoldfastError } from '@holdfast/contract';

interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

/** Where a connection string points, without secrets. Of several servers, the first. */
export function databaseAddress(url: string): DatabaseAddress {
  try {
    const [first = url] = serversOf(url);
    const { hostname, port, pathname, searchParams } = new URL(first);
    const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
    const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
    return { host, port: Number(searchParams.get('port') ?? port) || 5432, database };
  } catch {
    // Without the cause, whose text contains the URL and thus the password.
    throw new HoldfastError('config_invalid', 'DATABASE_URL is not a valid URL', {
      hint: 'Write it as postgresql://user:password@host:5432/database, with special characters percent-encoded.',
    });
  }
}

const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?@]*,[^/?@]*)((?:[/?].*)?)$/;

/**
 * Splits a connection string with several hosts, as libpq accepts it, into one string per server:
 * `postgresql://me@one:5432,two:5432/db` names two. The port defaults to the standard one.
 */
export function serversOf(url: string): string[] {
  const [, start = '', hosts, rest = ''] = severalHosts.exec(url) ?? [];
  if (hosts === undefined) return [url];
  return hosts.split(',').map((host) => start + host + withoutServerChoice(rest));
}

/** Removes libpq's parameters for choosing a server: we always use the one that accepts writes. */
function withoutServerChoice(rest: string): string {
  const [path = '', query] = rest.split('?');
  const kept = query
    ?.split('&')
    .filter((parameter) => !/^(target_session_attrs|load_balance_hosts)=/.test(parameter));
  return kept && kept.length > 0 ? `${path}?${kept.join('&')}` : path;
}

export function databaseUnavailable(
  error: unknown,
  { host, port, database }: DatabaseAddress,
): HoldfastError {
  const { code = '', message, errors } = error as { code?: string; message?: string; errors?: Error[] };
  // For a name with several addresses Node reports one error without a message, and the failures in it.
  const reason = message || errors?.[0]?.message || code || 'unknown reason';
  const detail = `database ${database} at ${host}:${port}: ${reason}`;
  return new HoldfastError('database_unavailable', detail, {
    cause: error,
    ...(certificateErrors.test(code) && {
      hint: 'Name the certificate authority with sslrootcert=… in DATABASE_URL, or do without with sslmode=no-verify.',
    }),
  });
}

const certificateErrors = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_/;
