import { getDomain } from 'tldts';

/** The registrable domain of a host, which bounds its cookies: example.com for www.example.com, or the host itself. */
export function cookieSite(url: string): string {
  const { hostname } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}
