import {
  type ApiKey,
  type KnowledgeCrawlRequest,
  knowledgeCrawlAnswer,
  knowledgeCrawlRequest,
  knowledgeMetadata,
  text,
} from '@holdfast/contract';
import { z } from 'zod';
import type { Queryable } from '../../database/statement.ts';
import { enqueueWithKey } from '../../keys/enqueue-with-key.ts';
import { upsertPolicy } from '../../policies/upsert-policy.ts';
import type { ApiContext } from '../api-context.ts';
import type { ApiServer } from '../api-server.ts';
import { theCaller } from '../caller.ts';

/** What its clients know as the depth of a crawl for which they named none. */
const standardDepth = 2;

const headers = z.object({
  'idempotency-key': text(200).optional().describe('repeating the request with it makes no second crawl'),
});

export function crawlRoute(server: ApiServer, { pool, notifier }: ApiContext, hide: boolean): void {
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
      const { url, max_depth } = request.body;
      const idempotency_key = request.headers['idempotency-key'];
      const options = { max_depth: max_depth ?? standardDepth, metadata: knowledgeMetadata(request.body) };
      const job = { kind: 'crawl' as const, payload: { url, ...options } };
      const [enqueued] = await enqueueWithKey(
        pool,
        key,
        [{ ...job, ...(idempotency_key !== undefined && { idempotency_key }) }],
        actor,
      );
      if (!enqueued) throw new Error('the queue gave no answer');
      const policy = await repeat(pool, key, request.body, options);
      if (enqueued.outcome === 'created') await notifier.notify('work');
      const { id } = enqueued.job;
      const message = policy === undefined ? 'Crawling started' : `Crawling started; again ${policy}`;
      return { success: true as const, progressId: id, job_id: id, message };
    },
  );
}

/** The policy that crawls it again. The first crawl is the one that was just asked for. */
async function repeat(
  db: Queryable,
  key: ApiKey,
  { url, update_frequency }: KnowledgeCrawlRequest,
  options: Record<string, unknown>,
): Promise<string | undefined> {
  if (!update_frequency) return undefined;
  const next = new Date(Date.now() + update_frequency * 86_400_000);
  await upsertPolicy(db, {
    kind: 'crawl',
    url,
    user_id: key.user_id,
    frequency_hours: update_frequency * 24,
    options,
    next_run_at: next.toISOString(),
  });
  return update_frequency === 1 ? 'every day' : `every ${update_frequency} days`;
}
