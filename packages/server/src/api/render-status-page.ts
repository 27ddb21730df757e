import { jobStatuses } from '@holdfast/contract';
import type { Status } from './read-status.ts';

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  td.count { text-align: right; font-variant-numeric: tabular-nums; }
  .down { color: #c62828; font-weight: 600; }
  footer { margin-top: 2rem; opacity: .7; font-size: .875rem; }
  code { font-size: .9em; }`;

/** Whether Holdfast is well, as a page for people. */
export function renderStatusPage(status: Status, withDetails: boolean): string {
  const { ready, version } = status;
  const state = ready
    ? 'up'
    : '<span class="down">waiting for the database</span>; it is tried again with every request';
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="refresh" content="5">
  <title>Holdfast</title>
  <style>${style}</style>
  <main>
    <h1>Holdfast is ${state}</h1>
    ${withDetails ? details(status) : '<p>Sign in with a key that may operate to see more.</p>'}
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
    <p>Add a job with <code>npx holdfast jobs create crawl https://example.com</code>.</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
