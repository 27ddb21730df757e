import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

export interface Baseline {
  /** The job that a recrawl was compared with. */
  readonly baseline: string;
  /** False: it is pruned. */
  readonly is_there: boolean;
}

const baselineStatement = statement<Baseline | { baseline: null; is_there: false }>(
  'baseline-of-crawl',
  `
SELECT baseline, EXISTS (SELECT FROM crawl_states other WHERE other.job_id = state.baseline) AS is_there
FROM crawl_states state WHERE job_id = $1`,
);

/** The crawl that a recrawl was compared with; it is an error to ask for that of any other crawl. */
export async function baselineOf(db: Queryable, jobId: string): Promise<Baseline> {
  const [state] = await run(db, baselineStatement, [jobId]);
  if (state?.baseline) return state;
  throw new HoldfastError('bad_request', `job ${jobId} was not compared with an earlier crawl`, {
    hint: 'Crawl it again with --recrawl, or with "recrawl": true in its payload.',
  });
}
