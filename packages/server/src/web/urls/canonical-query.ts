import { currentUrlRules, type UrlRules, urlRules } from './url-rules.ts';

export interface QueryOptions {
  readonly keepTracking?: boolean;
  readonly keepSessions?: boolean;
  /** Off by default: for a few servers the order means something. */
  readonly sortQuery?: boolean;
  /** Default: today's. */
  readonly rules?: UrlRules;
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
  const name = query.slice(start, nameEnd);
  const rules = options.rules ?? urlRules[currentUrlRules];
  const kind = parameterKind(name, rules);
  if (kind === 'content') return true;
  if (kind === 'tracking') return options.keepTracking === true;
  return options.keepSessions || !rules.isSession(name.toLowerCase(), query.slice(nameEnd + 1, end));
}

type ParameterKind = 'tracking' | 'maybe_session' | 'content';

/** A site has few parameter names and repeats them in every link: looking one up beats examining it again. */
const knownByRules = new WeakMap<UrlRules, Map<string, ParameterKind>>();
const knownLimit = 1_000;

function parameterKind(name: string, rules: UrlRules): ParameterKind {
  let known = knownByRules.get(rules);
  if (known === undefined) {
    known = new Map();
    knownByRules.set(rules, known);
  }
  const kind = known.get(name);
  if (kind !== undefined) return kind;
  const lower = name.toLowerCase();
  const found = rules.isTracking(lower)
    ? 'tracking'
    : rules.mayBeSession(lower)
      ? 'maybe_session'
      : 'content';
  if (known.size >= knownLimit) known.clear();
  if (name.length <= 64) known.set(name, found);
  return found;
}

const nameOf = (piece: string): string => piece.split('=', 1)[0] as string;

/** By name alone: the sort is stable, so several values of one name keep their order. */
function byName(a: string, b: string): number {
  const left = nameOf(a);
  const right = nameOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
