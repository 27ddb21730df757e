const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?@]*,[^/?@]*)((?:[/?].*)?)$/;

/**
 * The servers that a connection string names, one string each: `postgresql://me@one:5432,two:5432/db` has two, as libpq
 * understands it. A port that is left out is the standard one.
 */
export function serversOf(url: string): string[] {
  const [, start = '', hosts, rest = ''] = severalHosts.exec(url) ?? [];
  if (hosts === undefined) return [url];
  return hosts.split(',').map((host) => start + host + withoutChoice(rest));
}

/** What libpq takes to choose a server by; we always want the one that takes writes. */
function withoutChoice(rest: string): string {
  const [path = '', query] = rest.split('?');
  const kept = query
    ?.split('&')
    .filter((parameter) => !/^(target_session_attrs|load_balance_hosts)=/.test(parameter));
  return kept && kept.length > 0 ? `${path}?${kept.join('&')}` : path;
}
