import { Command } from 'commander';
import { deleteOrphan } from '../crawl/retention/delete-orphans.ts';
import { deleteJob } from '../queue/jobs/delete-job.ts';
import { answerEach } from './answer-each.ts';
import { withDatabase } from './with-database.ts';

interface Options {
  json?: true;
  withResults?: boolean;
}

export const deleteJobsCommand = new Command('delete')
  .description('delete jobs that have ended, with their pages and timelines')
  .argument('<id...>', 'ids of the jobs')
  .option('--with-results', 'their results, and the price points that they found, as well')
  .option('--json', 'print JSON, one line a job')
  .action((ids: string[], { json, withResults = false }: Options, self: Command) =>
    withDatabase(self, async ({ database: { pool }, log, actor }) => {
      await answerEach(ids, json ?? false, async (id) => {
        const job = await deleteJob(pool, id, { withResults });
        log.info(
          { job: id, kind: job.kind, url: job.url, owner: job.user_id, by: actor, withResults },
          `Deleted job ${id}`,
        );
        const isCleared = await deleteOrphan(pool, id);
        const told = [
          `job ${id}: deleted`,
          job.results > 0 && 'its result as well',
          job.price_points > 0 && `${job.price_points} price points as well`,
          !isCleared && 'its pages go when the recrawl that is compared with them is through',
        ];
        return { changed: { ...job, is_cleared: isCleared }, told: told.filter(Boolean).join('; ') };
      });
    }),
  );
