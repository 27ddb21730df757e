import { getDomain } from 'tldts';

/** The part of a host name that its cookies cannot leave: example.com for www.example.com, or the host itself. */
export function cookieSite(url: string): string {
  const { hostname } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}
