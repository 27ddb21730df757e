import { HoldfastError, type PolicyRequest, policyRequest } from '@holdfast/contract';
import { z } from 'zod';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { hostOf } from '../urls/host-of.ts';

export type CheckedPolicy = z.output<typeof policyRequest> & { readonly host: string };

/** A request that can be stored: every field in its bounds, the url in the form in which all parsers write it. */
export function checkPolicy(request: PolicyRequest): CheckedPolicy {
  const policy = checked(policyRequest, request);
  return { ...policy, ...checkUrl(policy.url) };
}

/** `https://Example.com` and `https://example.com/` are one policy; what a server could tell apart stays as it is. */
export function checkUrl(text: string): { url: string; host: string } {
  const { href: url } = new URL(text);
  const canonical = canonicalUrl(url);
  if (canonical === null || url.length > 2048) throw new HoldfastError('url_invalid', text);
  return { url, host: hostOf(canonical) };
}

export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problem = z
    .prettifyError(result.error)
    .replaceAll('✖ ', '')
    .replaceAll(/\n\s*→ at /g, ' at ');
  throw new HoldfastError('bad_request', problem);
}
