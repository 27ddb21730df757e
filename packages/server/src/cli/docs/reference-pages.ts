import {
  allowedActions,
  errors,
  exitCodes,
  jobStatuses,
  liveStatuses,
  type Move,
  retryClasses,
  settings,
  type Transition,
  terminalStatuses,
  transitionNames,
  transitions,
  waitReasonNames,
  waitReasons,
} from '@holdfast/contract';
import { reasons } from '../crawl/explain-reason.ts';
import { markdownTable } from './markdown-table.ts';

const generated = '<!-- Generated from packages/contract by `npm run docs`. Do not edit. -->\n\n';

/** The pages of docs/ that restate the contract, by file name. */
export function referencePages(): Record<string, string> {
  return {
    'lifecycle.md': generated + lifecyclePage(),
    'errors.md': generated + errorsPage(),
    'configuration.md': generated + configurationPage(),
  };
}

function lifecyclePage(): string {
  return `# The life of a job

${lifecycleDiagram()}

A job is **live** while it is ${listed(liveStatuses)}; it is finished when it is ${listed(terminalStatuses)}.

Every transition is one SQL statement, which also records it in \`job_events\`. The roles below perform them. A *fenced*
transition carries the fence that the holder got with its claim. If the lease has passed to another holder, or the job is no
longer processing, nothing is written.

${markdownTable(
  ['transition', 'from → to', 'by', 'fenced', 'meaning'],
  transitionNames.map((name) => {
    const { moves, by, fenced, meaning, raisesFence, burnsRetry }: Transition = transitions[name];
    const notes = [raisesFence && 'fence + 1', burnsRetry && 'retry_count + 1'].filter(Boolean).join(', ');
    return [
      `\`${name}\``,
      movesText(moves),
      by.join(', '),
      fenced ? 'yes' : '',
      notes ? `${meaning} (${notes})` : meaning,
    ];
  }),
)}

To pause or cancel a running job is to set a request on its row (\`requested_action\`): the move \`processing → processing\` above.
The holder reads the request at its next renewal and releases the job; if the holder dies, the watchdog does so. Unless the run
completes first, the job ends paused or cancelled and burns no retry. Cancel overrides pause.

## What retry_count counts

For a visit or collect job, every failed run. For a crawl, consecutive failed runs that saved no page. A checkpoint with pages
resets it to 0: a crawl survives any number of crashes while it makes progress, and fails after \`max_retries\` when it makes
none. Errors of single URLs never count; a crawl retries each URL by itself. Drains, pauses, cancels and an operator's reset do
not count either.

With \`max_retries\` of 3 a job runs at most four times. \`retryLater\` waits \`retry_backoff_seconds\` × 2^retry_count plus up to 10 %,
at least as long as the site asked for, and at most 24 hours.

## What a user can do

${markdownTable(
  ['status', 'allowed actions'],
  jobStatuses.map((status) => [status, allowedActions(status, null, 'crawl', true).join(', ') || 'none']),
)}

A completed visit or collect job also allows \`retry\`. The job and its result stay, and a new job with the same request runs; its
\`rerun_of\` names the first. A pending job allows \`runNow\` while it waits for a time. \`retryUrls\` is for crawls only. While a pause is
requested, a running job also allows \`resume\`, which withdraws the request.

## What a job waits for

For a pending or retryable job, the API (\`waiting\`), \`holdfast jobs show\` (\`waits\`), \`holdfast jobs list\` (\`REASON\`) and a banner in
the console say what it waits for and why, until when, and what ends the wait.

${markdownTable(
  ['reason', 'the job waits for'],
  waitReasonNames.map((reason) => [`\`${reason}\``, waitReasons[reason]]),
)}

\`holdfast jobs run-now ID\` ends a wait for a start, a retry or a host. The job keeps its retries. A host that is paused after
failures gets one request now, which decides whether it has recovered. Retry-After and the limits of a source stay in force: the
job starts, and waits again if it must. If an operator paused or disabled the source, the command is refused and names the command
that resumes it. \`holdfast sources resume ID\` and \`holdfast sources set ID --enable\` start every job that waits for that source:
crawls, visits, collections, and with the next pull the visits of bots.
`;
}

function movesText(moves: readonly Move[]): string {
  return moves.map(([from, to]) => `${from ?? 'new'} → ${to}`).join('<br>');
}

function lifecycleDiagram(): string {
  const arrows = new Map<string, string[]>();
  for (const name of transitionNames) {
    for (const [from, to] of transitions[name].moves as readonly Move[]) {
      if (from === to) continue;
      const arrow = `${from ?? '[*]'} --> ${to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), name]);
    }
  }
  const lines = [...arrows].map(([arrow, names]) => `    ${arrow}: ${names.join(', ')}`);
  const ends = terminalStatuses.map((status) => `    ${status} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', ...lines, ...ends, '```'].join('\n');
}

function errorsPage(): string {
  return `# Errors

Every error has a code. Its retry class says what a caller should do: \`now\` repeat at once, \`later\` wait and repeat,
\`never\` change the request first, \`fatal\` an operator must act. A job whose run ends with a \`now\` or \`later\` error is
retried while it has retries left; after \`never\` and \`fatal\` it fails.

${retryClasses
  .map((retry) => {
    const rows = Object.entries(errors)
      .filter(([, entry]) => entry.retry === retry)
      .map(([code, { http, exit, message, hint }]) => [
        `\`${code}\``,
        String(http),
        String(exit),
        message,
        hint,
      ]);
    return `## Retry: ${retry}\n\n${markdownTable(['code', 'HTTP', 'exit', 'message', 'what to do'], rows)}`;
  })
  .join('\n\n')}

## Reasons of pages

A failed or skipped page of a crawl has one of the codes above or one of these reasons. Links that were not followed are counted
under \`off_scope\` by the same reasons. [What a crawl leaves out](crawling.md) explains the rules and how to turn them off.

${markdownTable(
  ['reason', 'meaning'],
  [
    ['`http_404`, `http_403` …', 'the site answered with that HTTP status'],
    ...Object.entries(reasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
  ],
)}

## Exit codes of the command line

${markdownTable(
  ['exit', 'meaning'],
  Object.entries(exitCodes).map(([name, code]) => [
    String(code),
    name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`),
  ]),
)}
`;
}

function configurationPage(): string {
  return `# Configuration

Every setting is an environment variable; the most common ones are also flags (\`holdfast --help\`). An empty variable counts as
not set. An invalid value stops the command with a message that names the variable.

${markdownTable(
  ['variable', 'default', 'what it does'],
  Object.values(settings).map(({ env, schema, description }) => {
    const standard = schema.safeParse(undefined).data;
    return [`\`${env}\``, standard === undefined ? '' : `\`${standard}\``, description];
  }),
)}
`;
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
