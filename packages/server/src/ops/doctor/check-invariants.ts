import type { Configuration } from '@holdfast/contract';
import type { Database } from '../../base/database/open-database.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import type { Finding } from './finding.ts';
import { crawlInvariants, type Invariant, invariants, jobInvariants, type Violation } from './invariants.ts';

/** Limits on a live database: the newest jobs, and no crawl that would take long to count. */
const maxJobs = 200;
const maxUrls = 200_000;
/** Running jobs first: their problems are urgent. */
const chooseStatement = statement<{ id: string; urls: number | null }>(
  'choose-jobs-to-examine',
  `
SELECT id, state.urls FROM (
  (SELECT id FROM crawl_jobs WHERE status = 'processing' LIMIT $1)
  UNION
  (SELECT id FROM crawl_jobs ORDER BY id DESC LIMIT $1)
) job LEFT JOIN LATERAL (
  SELECT total_pending + total_processed + skipped + redirected AS urls FROM crawl_states WHERE job_id = job.id
) state ON true`,
);

/** Checks a live database against the invariants, in one read-only transaction. */
export async function checkInvariants(
  { pool }: Database,
  { watchdogSeconds }: Configuration,
  job?: string,
): Promise<Finding[]> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN READ ONLY');
    return await examineJobs(client, 2 * watchdogSeconds, job);
  } finally {
    // Nothing was written, and ROLLBACK also works after an error.
    await client.query('ROLLBACK').then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }
}

async function examineJobs(db: Queryable, overdueSeconds: number, job?: string): Promise<Finding[]> {
  const chosen = job
    ? [{ id: (await showJob(db, job)).id, urls: 0 }]
    : await run(db, chooseStatement, [maxJobs]);
  const ids = chosen.map(({ id }) => id);
  const crawls = chosen.flatMap(({ id, urls }) => (urls !== null && urls <= maxUrls ? [id] : []));
  const large = chosen.filter(({ urls }) => urls !== null && urls > maxUrls).length;
  const violations = [
    ...(await findViolations(db, ids, overdueSeconds, jobInvariants)),
    ...(await findViolations(db, crawls, overdueSeconds, crawlInvariants)),
  ];
  return invariants.map((invariant) => {
    const check = `invariant ${invariant.number}`;
    const found = violations.filter((violation) => violation.invariant === invariant);
    const isOfCrawls = crawlInvariants.includes(invariant);
    const scope = `${countOf(isOfCrawls ? crawls.length : ids.length, isOfCrawls ? 'crawl' : 'job')} examined`;
    const skipped = isOfCrawls && large > 0 ? `; ${large} large crawls skipped, check one with --job` : '';
    if (found.length === 0) return { check, state: 'ok', found: `${invariant.promise} (${scope}${skipped})` };
    const shown = found.slice(0, 5).map(({ job_id, found }) => `job ${job_id}: ${found}`);
    const more = found.length > shown.length ? `; and ${found.length - shown.length} more` : '';
    return {
      check,
      state: 'problem',
      found: `violated: ${invariant.promise}. ${shown.join('; ')}${more}`,
      advice: invariant.advice,
    };
  });
}

interface FoundViolation extends Violation {
  readonly invariant: Invariant;
}

/** The violations among these jobs. Reads only. */
export async function findViolations(
  db: Queryable,
  jobIds: readonly string[],
  /** How long an expired lease may wait for the watchdog. */
  overdueSeconds: number,
  wanted: readonly Invariant[] = invariants,
): Promise<FoundViolation[]> {
  const found: FoundViolation[] = [];
  for (const invariant of wanted) {
    const rows = await run(db, invariant.statement, [jobIds, overdueSeconds]);
    found.push(...rows.map((row) => ({ ...row, invariant })));
  }
  return found;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
