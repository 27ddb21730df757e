import { z } from 'zod';
import { blockEscalations } from './crawl-choices.ts';

/** Who can block a request: a protection service that is recognised by its answer, the site itself, or a proxy. */
export const blockers = {
  akamai: 'Akamai',
  alibaba: 'Alibaba Cloud',
  anubis: 'Anubis',
  aws_waf: 'AWS WAF',
  azure: 'Azure Front Door',
  cloudflare: 'Cloudflare',
  cloudfront: 'CloudFront',
  datadome: 'DataDome',
  ddos_guard: 'DDoS-Guard',
  f5: 'F5',
  google: 'Google',
  human: 'HUMAN (PerimeterX)',
  imperva: 'Imperva',
  kasada: 'Kasada',
  radware: 'Radware',
  sucuri: 'Sucuri',
  vercel: 'Vercel',
  wordfence: 'Wordfence',
  site: 'the site',
} as const;
export type Blocker = keyof typeof blockers;
export const blockerNames = Object.keys(blockers) as Blocker[];

/**
 * challenge   a page that wants proof of a browser or a person
 * refusal     403 or 407, or a page that says so
 * rate_limit  429
 * legal       451
 */
export const blockKinds = ['challenge', 'refusal', 'rate_limit', 'legal'] as const;
export type BlockKind = (typeof blockKinds)[number];

export const block = z
  .object({
    by: z.enum(blockerNames).describe('who blocked the request; site: not by a known service'),
    kind: z.enum(blockKinds),
    status: z.int().describe('HTTP status of the blocked answer'),
    evidence: z.string().describe('the evidence in the response'),
    tried: z.array(z.enum(blockEscalations)).optional().describe('what `on_block` had it tried afterwards'),
  })
  .meta({ id: 'Block' });
export type Block = z.output<typeof block>;

/** `Cloudflare wants proof of a browser (cf-mitigated: challenge, HTTP 403)`. */
export function describeBlock({ by, kind, evidence, status }: Block): string {
  return `${blockers[by]} ${blockWords[kind]} (${evidence === `HTTP ${status}` ? evidence : `${evidence}, HTTP ${status}`})`;
}

const blockWords: Readonly<Record<BlockKind, string>> = {
  challenge: 'wants proof of a browser or a person',
  refusal: 'refused the request',
  rate_limit: 'limits the rate of requests',
  legal: 'refused the request for legal reasons',
};
