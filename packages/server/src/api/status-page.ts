import { type JobStatus, jobStatuses } from '@holdfast/contract';
import type { Logger } from 'pino';
import { readMigrationState } from '../base/database/migration-state.ts';
import type { Database } from '../base/database/open-database.ts';
import { version } from '../base/process/installation.ts';
import { countJobs } from '../ops/stats/count-jobs.ts';

export interface Status {
  readonly ready: boolean;
  readonly version: string;
  readonly database: string;
  /** Number of the last migration applied. */
  readonly schema: number | null;
  /** Exact up to 10,000 of a status. */
  readonly jobs: Partial<Record<JobStatus, number>>;
}

export async function readStatus(
  database: Pick<Database, 'pool' | 'describe'>,
  log: Logger,
): Promise<Status> {
  const { describe } = database;
  try {
    const [{ applied }, counted] = await Promise.all([
      readMigrationState(database.pool),
      countJobs(database.pool),
    ]);
    const jobs: Status['jobs'] = {};
    for (const { status, count } of counted.jobs) if (count > 0) jobs[status] = (jobs[status] ?? 0) + count;
    return { ready: true, version, database: describe, schema: applied.at(-1)?.version ?? 0, jobs };
  } catch (error) {
    log.warn({ err: error }, 'The database does not answer');
    return { ready: false, version, database: describe, schema: null, jobs: {} };
  }
}

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  td.count { text-align: right; font-variant-numeric: tabular-nums; }
  .down { color: #c62828; font-weight: 600; }
  footer { margin-top: 2rem; opacity: .7; font-size: .875rem; }
  code { font-size: .9em; }`;

/** The status as an HTML page. */
export function renderStatusPage(status: Status, withDetails: boolean): string {
  const { ready, version } = status;
  const state = ready ? 'up' : '<span class="down">waiting for the database</span>';
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="refresh" content="5">
  <title>Holdfast</title>
  <style>${style}</style>
  <main>
    <h1>Holdfast is ${state}</h1>
    ${withDetails ? details(status) : '<p>Sign in with an operator key for details.</p>'}
  </main>
  <footer>${withDetails ? `Version ${escapeHtml(version)} · ` : ''}refreshed every 5 s</footer>
</html>
`;
}

function details({ ready, database, schema, jobs }: Status): string {
  const counts = jobStatuses
    .map((status) => `<tr><td>${status}</td><td class="count">${jobs[status] ?? (ready ? 0 : '–')}</td></tr>`)
    .join('\n      ');
  return `<p>Database: ${escapeHtml(database)}<br>Schema: ${schema ?? 'unknown'}</p>
    <table>
      <thead><tr><th>Jobs</th><th></th></tr></thead>
      <tbody>
      ${counts}
      </tbody>
    </table>
    <p>Create a job: <code>npx holdfast jobs create crawl https://example.com</code></p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
