import { type CrawlOptions, HoldfastError, rendersAll } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { browserReadiness } from '../../browser/browser-readiness.ts';
import type { Session } from '../with-database.ts';

/** Pages that may need JavaScript but were stored unrendered, because there is no browser. */
export interface Unrendered {
  readonly pages: number;
  readonly problem: string;
  readonly advice: string;
}

/** Fails before starting a crawl that requires a browser. */
export function assertCanRender(
  options: CrawlOptions,
  { configuration }: Pick<Session, 'configuration'>,
): void {
  const readiness = browserReadiness(configuration);
  if ('problem' in readiness && rendersAll(options))
    throw new HoldfastError('browser_unavailable', readiness.problem, { hint: readiness.advice });
}

const countStatement = statement<{ pages: number }>(
  'count-unrendered-pages',
  `SELECT count(*)::integer AS pages FROM crawl_pages WHERE job_id = $1 AND render_reason = 'no_browser'`,
);

/** Undefined if there is a browser or no page needed one. */
export async function findUnrendered(
  db: Queryable,
  jobId: string,
  { configuration }: Pick<Session, 'configuration'>,
): Promise<Unrendered | undefined> {
  const readiness = browserReadiness(configuration);
  if (!('problem' in readiness)) return undefined;
  const [{ pages = 0 } = {}] = await run(db, countStatement, [jobId]);
  return pages > 0 ? { pages, ...readiness } : undefined;
}
