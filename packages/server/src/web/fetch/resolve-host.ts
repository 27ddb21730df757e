import { lookup } from 'node:dns';

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a host name. Tests give their own. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** By the operating system, which knows the hosts file and the order of families. */
export const resolveHost: ResolveHost = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
