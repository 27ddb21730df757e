import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Parts = readonly number[];

/** Azure's wire server answers on an address that the registries call public. */
const metadataOnPublicAddress = '168.63.129.16';

/**
 * Whether an address is globally routable unicast, so that nothing of this network answers there. Every IPv4 address
 * inside an IPv6 one must be so as well. Cloud metadata (169.254.169.254, fd00:ec2::254, 100.100.100.200) falls under
 * link-local, unique local and carrier-grade NAT.
 */
export function isPublicAddress(address: string): boolean {
  // Strict: ipaddr.js also reads octal and short forms, which no resolver answers with.
  const family = isIP(address);
  if (family === 4) return isPublicIPv4(address);
  return family === 6 && isPublicIPv6(address);
}

function isPublicIPv4(address: string): boolean {
  return address !== metadataOnPublicAddress && ipaddr.IPv4.parse(address).range() === 'unicast';
}

function isPublicIPv6(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  // ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`; the URL parser writes both in hexadecimal, told apart.
  const parsed = ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
  const range = parsed.range();
  // An operating system connects to these by IPv4, directly or through the NAT64 of an IPv6-only network.
  if (range === 'ipv4Mapped') return isPublicIPv4(lastIPv4(parsed.parts));
  if (isNat64(parsed.parts)) return isPublicIPv4(lastIPv4(parsed.parts));
  // Only 2000::/3 is global unicast: this leaves out IPv4-compatible (::/96) and all that was never assigned. 6to4 and
  // Teredo are ranges of their own and refused whatever is inside: both are dead (RFC 7526) and tunnel to IPv4.
  if (range !== 'unicast' || ((parsed.parts[0] ?? 0) & 0xe000) !== 0x2000) return false;
  return !isIsatap(parsed.parts) || isPublicIPv4(lastIPv4(parsed.parts));
}

/** 64:ff9b::/96 (RFC 6052); 64:ff9b:1::/48 is for local use (RFC 8215) and stays refused. */
function isNat64(parts: Parts): boolean {
  return parts[0] === 0x64 && parts[1] === 0xff9b && parts.slice(2, 6).every((part) => part === 0);
}

/** Interface identifier ::0:5efe:a.b.c.d or ::200:5efe:a.b.c.d under any prefix (RFC 5214). */
function isIsatap(parts: Parts): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

function lastIPv4(parts: Parts): string {
  const [high = 0, low = 0] = parts.slice(6);
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}
