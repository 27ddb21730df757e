import { z } from 'zod';
import { timestamp } from './timestamp.ts';

export const identityStates = ['upcoming', 'signing', 'retiring'] as const;

const identityKey = z
  .object({
    id: z.string().describe('JWK thumbprint; the keyid of signatures'),
    public_key: z.string().describe('`x` of the Ed25519 JWK'),
    agent: z.string().describe('origin that serves the key directory; the value of Signature-Agent'),
    status: z
      .enum(identityStates)
      .describe('upcoming: published, and signs later; retiring: signs no more, and is still published'),
    created_at: timestamp,
    active_from: timestamp,
    retired_at: timestamp.nullable(),
  })
  .meta({ id: 'IdentityKey' });

export const crawlerIdentity = z
  .object({ data: z.array(identityKey).describe('newest first; empty: requests are not signed') })
  .meta({ id: 'CrawlerIdentity' });
