import { type ErrorCode, errors, HoldfastError } from '@holdfast/contract';
import { isPublicHost } from '../../web/fetch/address-guard.ts';
import { disallowAll, type RobotsRules } from '../../web/robots/robots-rules.ts';

/** Of the origin itself, and so of every page: its pages need not be asked to know it. */
const ownFailures: ReadonlySet<string> = new Set(['dns_failed', 'tls_failed', 'address_forbidden']);

/** Of the origin, and likely to last: its name does not resolve, or its certificate is bad. */
export function isLasting({ code }: HoldfastError): boolean {
  return code === 'dns_failed' || code === 'tls_failed';
}

export function isOwnFailure({ code }: HoldfastError): boolean {
  return ownFailures.has(code);
}

/** Why nothing may be fetched of an origin: `failedAt` is the URL that failed, robots.txt or where it led. */
export function robotsFailure(origin: string, failedAt: string, cause: HoldfastError): HoldfastError {
  const { origin: failed } = new URL(failedAt);
  const isOwn = failed === origin;
  if (cause.code === 'address_forbidden')
    return new HoldfastError(cause.code, isOwn ? origin : `${origin}/robots.txt leads to ${failed}`);
  if (!isOwn || !ownFailures.has(cause.code))
    return new HoldfastError('robots_unreachable', `${origin}/robots.txt: ${cause.message}`);
  const { host } = new URL(origin);
  return new HoldfastError(
    cause.code,
    cause.code === 'dns_failed' ? `${host}: ${cause.detail}` : cause.detail,
  );
}

/** Whether the origin's own name or address is forbidden. All else may pass: certificates, redirects, what a name stands for. */
export function isForbiddenForGood(origin: string, { code, detail }: HoldfastError): boolean {
  return code === 'address_forbidden' && detail === origin && !isPublicHost(new URL(origin));
}

/** As it is kept in the database's cache, for the workers that come upon it there. */
export function rulesOfFailure({ code, detail }: HoldfastError): RobotsRules {
  return { ...disallowAll, failureCode: code, ...(detail !== undefined && { failure: detail }) };
}

export function failureOfRules({ failureCode = '', failure }: RobotsRules): HoldfastError {
  const code = Object.hasOwn(errors, failureCode) ? (failureCode as ErrorCode) : 'robots_unreachable';
  return new HoldfastError(code, failure);
}
