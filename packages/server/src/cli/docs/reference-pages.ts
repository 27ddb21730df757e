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

const generated = '<!-- Generated from packages/contract by `npm run docs`. Do not edit. -->\n\n';

/** The pages of docs/ that restate the contract, by file name. */
export function referencePages(): Record<string, string> {
  return {
    'lifecycle.md': generated + lifecyclePage(),
    'errors.md': generated + errorsPage(),
    'configuration.md': generated + configurationPage(),
  };
}

function table(headers: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n');
}

function lifecyclePage(): string {
  return `# The life of a job

${lifecycleDiagram()}

A job is **live** while it is ${listed(liveStatuses)}; it is finished when it is ${listed(terminalStatuses)}.

Every transition is one statement, made by one of the roles below, and recorded in \`job_events\` by the same statement.
A *fenced* transition names the fence that its holder got with the claim: when the lease has gone to someone else, or the
job is not processing any more, nothing is written.

${table(
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

A pause or cancel of a running job is a request on its row (\`requested_action\`): the move \`processing → processing\` above.
The holder hears of it at its next renewal and lets go; if it dies instead, the watchdog acts in its place. Whichever way
the run ends, but for completion, the job ends paused or cancelled and burns no retry. Cancel overrides pause.

## What retry_count counts

For a visit and a collect job: every failed run. For a crawl: runs in a row that ended badly without saving a single page. A
checkpoint with pages sets it back to 0, so a crawl survives any number of crashes as long as it moves, and one that cannot move
fails after \`max_retries\`. Errors of single URLs never count: a crawl retries each URL by itself. A drain, a pause, a cancel
and an operator's reset count nothing.

\`max_retries\` of 3 means three retries, which are four runs at most. \`retryLater\` waits \`retry_backoff_seconds\` × 2^retry_count,
up to a tenth more, at least as long as the site asked for, and never longer than 24 hours.

## What a user can do

${table(
  ['status', 'allowed actions'],
  jobStatuses.map((status) => [status, allowedActions(status, null, 'crawl', true).join(', ') || 'none']),
)}

A completed visit or collect job allows \`retry\`, too. Its result stays, and the job stays completed: it runs again as a new job with
the same request, whose \`rerun_of\` names it. \`runNow\` of a pending job is there while a time lies ahead that it waits for. \`retryUrls\` is for crawls alone. While a pause is requested, a running job also allows \`resume\`, which takes the request back.

## What a job waits for

A pending or retryable job shows \`waiting\` in the API, \`waits\` in \`holdfast jobs show\`, \`REASON\` in \`holdfast jobs list\`, and a
banner in the console: what it waits for and why, until when, and what ends the wait.

${table(
  ['reason', 'the job waits for'],
  waitReasonNames.map((reason) => [`\`${reason}\``, waitReasons[reason]]),
)}

\`holdfast jobs run-now ID\` ends the waits that a person may end: for a start, a retry time or a host. The job loses no retry. A host
that is left alone after failures gets one request now, which decides whether it is well again. A Retry-After and the limits of a source
hold on: the job starts, and waits again if it must. What an operator paused or disabled stays so: the command is refused, and names
the one that resumes the source. \`holdfast sources resume ID\` and \`holdfast sources set ID --enable\` start every job that waits
for that source: crawls, visits, collections, and with the next pull the visits of bots.
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

Every error has a code. The *retry* column says what a caller should do: \`now\` repeat at once, \`later\` wait and repeat,
\`never\` change the request first, \`fatal\` an operator must act. A job whose run ends with a \`now\` or \`later\` error is
tried again while retries remain; \`never\` and \`fatal\` make it failed.

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
    return `## Retry: ${retry}\n\n${table(['code', 'HTTP', 'exit', 'message', 'what to do'], rows)}`;
  })
  .join('\n\n')}

## Reasons of pages

A page of a crawl that failed or was skipped carries one of the codes above, or one of these reasons. Links that were not followed
are counted under \`off_scope\` by the same reasons. [What a crawl leaves out](crawling.md) has the rules and how to turn them off.

${table(
  ['reason', 'meaning'],
  [
    ['`http_404`, `http_403` …', 'the site answered with that HTTP status'],
    ...Object.entries(reasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
  ],
)}

## Exit codes of the command line

${table(
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

Every setting is an environment variable; the most used ones are flags as well (\`holdfast --help\`). An empty variable
counts as not set. A value that cannot be used stops the command with a message that names the variable.

${table(
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
