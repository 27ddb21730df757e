import { z } from 'zod';
import { pageUrl, text } from '../text-fields.ts';
import { queryBoolean, queryNumber } from './query-fields.ts';

/*
 * Requests and responses of the knowledge-item API. A null field counts as absent; unknown fields are stored with the
 * job for the client.
 */

export const maxMetadataLength = 20_000;

const known = {
  url: pageUrl.describe('the site to crawl'),
  max_depth: queryNumber(0, 1000).nullish().describe('links to follow from the start; default 2'),
  tags: z.array(text(200)).max(100).nullish(),
  knowledge_type: text(100).nullish(),
  update_frequency: queryNumber(0, 3650)
    .nullish()
    .describe('days between repeated crawls; 0 or omitted: crawl once'),
  extract_code_examples: queryBoolean.nullish(),
};

export const knowledgeCrawlRequest = z
  .looseObject(known)
  .refine(
    (request) => JSON.stringify(knowledgeMetadata(request)).length <= maxMetadataLength,
    `must have at most ${maxMetadataLength} characters besides the url`,
  )
  .meta({ id: 'KnowledgeCrawlRequest' });
export type KnowledgeCrawlRequest = z.output<typeof knowledgeCrawlRequest>;

/** All fields that the client sent and the crawl does not use. */
export function knowledgeMetadata(request: Record<string, unknown>): Record<string, unknown> {
  const { url: _, max_depth: __, ...metadata } = request;
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== null && value !== undefined),
  );
}

export const knowledgeCrawlAnswer = z
  .object({
    success: z.literal(true),
    progressId: z.uuid(),
    job_id: z.uuid(),
    message: z.string(),
  })
  .meta({ id: 'KnowledgeCrawlAnswer' });

/** Statuses of this API, which has none for retryable and expired jobs. */
export const knowledgeStatuses = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'paused',
] as const;
export type KnowledgeStatus = (typeof knowledgeStatuses)[number];

export const knowledgeActionAnswer = z
  .object({ ...knowledgeCrawlAnswer.shape, status: z.enum(knowledgeStatuses) })
  .meta({ id: 'KnowledgeActionAnswer' });

export const knowledgeProgress = z
  .object({
    success: z.literal(true),
    progressId: z.uuid(),
    job_id: z.uuid(),
    status: z.enum(knowledgeStatuses),
    progress: z.int().describe('percent; never decreases'),
    message: z.string(),
    logs: z.array(z.string()),
    currentUrl: z.string().nullable(),
    totalPages: z.int().describe('pages done plus URLs left'),
    processedPages: z.int(),
    failedPages: z.int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'KnowledgeProgress' });
export type KnowledgeProgress = z.output<typeof knowledgeProgress>;

export const knowledgeParams = z.strictObject({ id: z.uuid() });

export const knowledgeError = z
  .object({ success: z.literal(false), error: z.string(), detail: z.string() })
  .meta({ id: 'KnowledgeError' });
