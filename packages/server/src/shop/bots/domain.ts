import { HoldfastError, parseUrl } from '@holdfast/contract';

/** A domain that a bot asks for or is limited to: the host itself and everything below it; with a port, only that port. */
export interface Domain {
  readonly name: string;
  /** `:8080`, or empty for any. */
  readonly port: string;
}

/** Accepts what people write: `Example.com`, `shop.example.com.`, `localhost:8080`, `bücher.example`. */
export function readDomain(text: string): Domain {
  const written = text.trim().replace(/^\*?\./, '');
  const url = parseUrl(`http://${written}`);
  if (!/^[^\s/\\?#@]+$/.test(written) || !url) {
    throw new HoldfastError(
      'bad_request',
      `domain must be a host such as shop.example.com; ${JSON.stringify(text)} is not a domain`,
    );
  }
  const { hostname } = url;
  return { name: hostname.replace(/\.$/, ''), port: /:\d+$/.exec(written)?.[0] ?? '' };
}

/** The domains a bot gets when it asks for one: that one if allowed, else its allowed domains inside it. Null: every domain. */
export function allowedPart(
  asked: Domain | null,
  allowed: readonly Domain[] | null,
): readonly Domain[] | null {
  if (allowed === null) return asked && [asked];
  if (asked === null) return allowed;
  if (allowed.some((domain) => isWithin(asked, domain))) return [asked];
  return allowed.filter((domain) => isWithin(domain, asked));
}

function isWithin(inner: Domain, outer: Domain): boolean {
  const below = inner.name === outer.name || inner.name.endsWith(`.${outer.name}`);
  return below && (outer.port === '' || outer.port === inner.port);
}

/** The keys of domains, as SQL's domain_key builds them, and their ports. */
export function domainKeys(domains: readonly Domain[]): [keys: string[], ports: string[]] {
  return [domains.map(({ name }) => [...name].reverse().join('')), domains.map(({ port }) => port)];
}
