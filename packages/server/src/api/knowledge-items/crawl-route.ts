import {
  type ApiKey,
  knowledgeCrawlAnswer,
  knowledgeCrawlRequest,
  knowledgeMetadata,
  type Policy,
  text,
} from '@holdfast/contract';
import { z } from 'zod';
import type { Queryable } from '../../base/database/statement.ts';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import { policyWithin } from '../../queue/access/policy-with-key.ts';
import { upsertPolicy } from '../../queue/policies/upsert-policy.ts';
import type { ApiContext } from '../api-context.ts';
import type { ApiServer } from '../api-server.ts';
import { theCaller } from '../caller.ts';

/** What its clients know as the depth of a crawl for which they named none. */
const standardDepth = 2;

const headers = z.object({
  'idempotency-key': text(200).optional().describe('repeating the request with it makes no second crawl'),
});

export function crawlRoute(server: ApiServer, context: ApiContext, hide: boolean): void {
  server.post(
    '/knowledge-items/crawl',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        hide,
        operationId: 'crawlKnowledgeItem',
        tags: ['knowledge items'],
        summary: 'Crawl a site, once or every so many days',
        headers,
        body: knowledgeCrawlRequest,
        response: { 200: knowledgeCrawlAnswer },
      },
    },
    async (request) => {
      const { key, actor } = theCaller(request);
      const { url, max_depth, update_frequency } = request.body;
      const idempotency_key = request.headers['idempotency-key'];
      const options = { max_depth: max_depth ?? standardDepth, metadata: knowledgeMetadata(request.body) };
      const job = { kind: 'crawl' as const, payload: { url, ...options } };
      const [enqueued] = await enqueueWithKey(
        context,
        key,
        [{ ...job, ...(idempotency_key !== undefined && { idempotency_key }) }],
        actor,
        update_frequency ? (db) => repeat(db, key, url, update_frequency, options) : undefined,
      );
      if (!enqueued) throw new Error('the queue gave no answer');
      const { id } = enqueued.job;
      const message = update_frequency
        ? `Crawling started; again ${every(update_frequency)}`
        : 'Crawling started';
      return { success: true as const, progressId: id, job_id: id, message };
    },
  );
}

/** The policy that crawls it again. The first crawl is the one that was just asked for. */
function repeat(
  db: Queryable,
  key: ApiKey,
  url: string,
  days: number,
  options: Record<string, unknown>,
): Promise<Policy> {
  const next = new Date(Date.now() + days * 86_400_000);
  const wanted = {
    kind: 'crawl' as const,
    url,
    user_id: key.user_id,
    frequency_hours: days * 24,
    options,
    next_run_at: next.toISOString(),
  };
  return policyWithin(db, key, async (within) => (await upsertPolicy(within, wanted)).policy);
}

function every(days: number): string {
  return days === 1 ? 'every day' : `every ${days} days`;
}
