import { HoldfastError, type PolicyRequest, policyRequest } from '@holdfast/contract';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { canonicalUrl, maxUrlLength } from '../../web/urls/canonical-url.ts';
import { checkPatterns } from '../../web/urls/check-patterns.ts';

export type CheckedPolicy = z.output<typeof policyRequest>;

/** A request that can be stored: every field in its bounds, the url in the form in which all parsers write it. */
export function checkPolicy(request: PolicyRequest): CheckedPolicy {
  const policy = checked(policyRequest, request);
  checkPatterns(policy.options ?? {}, 'options');
  return { ...policy, url: plainUrl(policy.url) };
}

/** `https://Example.com` and `https://example.com/` are one policy; what a server could tell apart stays as it is. */
function plainUrl(text: string): string {
  const { href } = new URL(text);
  if (canonicalUrl(href) === null || href.length > maxUrlLength) throw new HoldfastError('url_invalid', text);
  return href;
}
