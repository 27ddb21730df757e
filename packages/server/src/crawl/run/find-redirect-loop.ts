import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

// When each redirect leads to another of these redirects, there is a loop among them: there is an end to their number.
const loopStatement = statement<{ url: string }>(
  'find-redirect-loop',
  `
SELECT (array_agg(page.target_url ORDER BY page.fetched_at DESC))[1] AS url
FROM crawl_pages page
LEFT JOIN crawl_pages next ON next.job_id = page.job_id AND next.url = page.target_url
  AND next.kind = 'page' AND next.outcome = 'redirected'
WHERE page.job_id = $1 AND page.kind = 'page' AND page.outcome = 'redirected'
HAVING count(*) > 0 AND bool_and(next.url IS NOT NULL)`,
);

/**
 * The error of a crawl that fetched nothing but redirects to one another. One run of it sees such a loop by itself
 * (redirect-trail.ts); this is for a loop that was closed by a later run than the one that entered it.
 */
export async function findRedirectLoop(db: Queryable, jobId: string): Promise<HoldfastError | undefined> {
  const [loop] = await run(db, loopStatement, [jobId]);
  return loop && new HoldfastError('too_many_redirects', loop.url);
}
