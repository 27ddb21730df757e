import type { Paint } from '../crawl/paint.ts';
import type { Evidence } from './evidence.ts';

interface Claim {
  readonly text: string;
  readonly count: number;
  readonly note: string;
  readonly holds?: boolean;
}

export function claimsOf(evidence: Evidence): Claim[] {
  const {
    rows,
    storedTwice,
    lines,
    differentLines,
    fetched,
    requests,
    askedOnce,
    retries,
    again,
    unanswered,
    wasted,
    lost,
  } = evidence;
  return [
    { text: 'URLs in the database', count: rows, note: 'every one of them once', holds: storedTwice === 0 },
    {
      text: 'pages in the file',
      count: lines,
      note: 'every stored page, none twice, no torn line',
      holds: lines === fetched && differentLines === lines,
    },
    { text: 'requests at the site', count: requests, note: `${askedOnce} pages were asked for exactly once` },
    {
      text: 'asked again, page failed',
      count: retries,
      note: 'the site answered HTTP 500: a page that fails is tried once more',
    },
    {
      text: 'asked again, after the kill',
      count: again,
      note: `when the runner died, ${unanswered} were not answered yet, and ${again - unanswered} answered and not yet saved`,
    },
    {
      text: 'asked again, for nothing',
      count: wasted,
      note: 'pages that had been saved: this must be 0',
      holds: wasted === 0,
    },
    { text: 'pages lost', count: lost.length, note: lost.join(' '), holds: lost.length === 0 },
  ];
}

/** The witnesses' account, with a mark at each claim that the demo makes. */
export function evidenceText(claims: readonly Claim[], paint: Paint): string {
  const width = Math.max(...claims.map(({ text }) => text.length));
  return claims
    .map(({ text, count, note, holds }) => {
      const mark = holds === undefined ? ' ' : holds ? paint('green', '✓') : paint('red', '✗');
      return `  ${mark} ${text.padEnd(width)}  ${String(count).padStart(5)}  ${paint('dim', note)}`.trimEnd();
    })
    .join('\n');
}
