import { type ErrorCode, errors, HoldfastError } from '@holdfast/contract';
import { isPublicHost } from '../../web/fetch/address-guard.ts';
import { disallowAll, type RobotsRules } from '../../web/robots/robots-rules.ts';

/** Failures of the origin itself, which apply to all of its pages. */
const ownFailures: ReadonlySet<string> = new Set(['dns_failed', 'tls_failed', 'address_forbidden']);

/** Whether the failure is likely to last: the name does not resolve, or the certificate is invalid. */
export function isLasting({ code }: HoldfastError): boolean {
  return code === 'dns_failed' || code === 'tls_failed';
}

export function isOwnFailure({ code }: HoldfastError): boolean {
  return ownFailures.has(code);
}

/** Why nothing of an origin may be fetched. `failedAt`: the URL that failed, robots.txt or the target of its redirect. */
export function robotsFailure(origin: string, failedAt: string, cause: HoldfastError): HoldfastError {
  const { origin: failed } = new URL(failedAt);
  const isOwn = failed === origin;
  if (cause.code === 'address_forbidden')
    return new HoldfastError(cause.code, isOwn ? origin : `${origin}/robots.txt redirects to ${failed}`);
  if (!isOwn || !ownFailures.has(cause.code))
    return new HoldfastError('robots_unreachable', `${origin}/robots.txt: ${cause.message}`);
  const { host } = new URL(origin);
  return new HoldfastError(
    cause.code,
    cause.code === 'dns_failed' ? `${host}: ${cause.detail}` : cause.detail,
  );
}

/** Whether the origin's own name or address is forbidden. Everything else may change: certificates, redirects, addresses. */
export function isForbiddenForGood(origin: string, { code, detail }: HoldfastError): boolean {
  return code === 'address_forbidden' && detail === origin && !isPublicHost(new URL(origin));
}

/** The failure in the form that is stored in the shared cache. */
export function rulesOfFailure({ code, detail }: HoldfastError): RobotsRules {
  return { ...disallowAll, failureCode: code, ...(detail !== undefined && { failure: detail }) };
}

export function failureOfRules({ failureCode = '', failure }: RobotsRules): HoldfastError {
  const code = Object.hasOwn(errors, failureCode) ? (failureCode as ErrorCode) : 'robots_unreachable';
  return new HoldfastError(code, failure);
}
