import { HoldfastError, type Job } from '@holdfast/contract';
import type { Queryable } from '../base/database/statement.ts';
import { showJob } from '../queue/jobs/find-jobs.ts';

/** The job if it is a crawl; of another one, only crawls have pages, the error says where to see what came of it. */
export async function showCrawl(db: Queryable, id: string): Promise<Job> {
  const job = await showJob(db, id);
  if (job.kind === 'crawl') return job;
  const elsewhere =
    job.kind === 'visit'
      ? `holdfast results list --job ${id}`
      : `holdfast intakes show ${job.payload.intake_id}`;
  throw new HoldfastError('bad_request', `job ${id} is a ${job.kind}, not a crawl: it has no pages`, {
    hint: `What came of it: ${elsewhere}`,
  });
}
