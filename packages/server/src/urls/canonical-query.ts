import { parameterKind } from './parameter-kind.ts';
import { looksRandom } from './session-parameters.ts';

export interface QueryOptions {
  readonly keepTracking?: boolean;
  readonly keepSessions?: boolean;
  /** Off by default: for a few servers the order means something. */
  readonly sortQuery?: boolean;
}

/** The query (without `?`, percent-encoding normalised) less what does not choose the page; '' if nothing is left. */
export function canonicalQuery(query: string, options: QueryOptions): string {
  let kept = '';
  let copied = 0;
  for (let start = 0; start <= query.length; ) {
    const found = query.indexOf('&', start);
    const end = found === -1 ? query.length : found;
    if (!isKept(query, start, end, options)) {
      kept += query.slice(copied, start);
      copied = end + 1;
    }
    start = end + 1;
  }
  if (copied > 0) kept += query.slice(copied);
  else kept = query;
  if (kept.endsWith('&')) kept = kept.slice(0, -1);
  return options.sortQuery ? kept.split('&').sort(byName).join('&') : kept;
}

function isKept(query: string, start: number, end: number, options: QueryOptions): boolean {
  if (start === end) return false;
  const equals = query.indexOf('=', start);
  const nameEnd = equals === -1 || equals > end ? end : equals;
  const kind = parameterKind(query.slice(start, nameEnd));
  if (kind === 'content') return true;
  if (kind === 'tracking') return options.keepTracking === true;
  if (options.keepSessions) return true;
  return kind === 'maybe_session' && !looksRandom(query.slice(nameEnd + 1, end));
}

const nameOf = (piece: string): string => piece.split('=', 1)[0] as string;

/** By name alone: the sort is stable, so several values of one name keep their order. */
function byName(a: string, b: string): number {
  const left = nameOf(a);
  const right = nameOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
