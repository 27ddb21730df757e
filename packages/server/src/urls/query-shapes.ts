import { fingerprint } from './fingerprint.ts';
import { looksRandom } from './session-parameters.ts';

/** What is remembered of the queries on one path, as fingerprints: some kilobytes, whatever the site sends. */
export interface QueryShapes {
  /** Parameter names as they come, in order: what a permutation changes. */
  readonly shapes: Set<number>;
  /** By shape: the values of each parameter, until there are too many to be choices, and their combinations. */
  readonly choices: Map<number, Choices | 'open'>;
  /** Values of parameters named like tokens. */
  readonly tokens: Set<number>;
}

interface Choices {
  readonly values: Set<number>[];
  readonly combinations: Set<number>;
}

export const noShapes = (): QueryShapes => ({ shapes: new Set(), choices: new Map(), tokens: new Set() });

export interface QueryLimits {
  readonly maxQueryShapes: number;
  readonly maxQueryCombinations: number;
  readonly maxTokens: number;
}

/** More values than this are the ids of things (`?f=3&t=8123&start=20`), not choices of a filter. */
const maxChoices = 32;
const filterParameters = 3;
/** Shapes of one path whose choices are followed. */
const maxFollowed = 4;
const tokenName =
  /sess|sid$|token|csrf|nonce|ticket|viewstate|^_$|^ts$|timestamp|rand|cachebust|nocache|^cb$/;

/** Remembers a query of the path; says why if it is one too many of its kind. A known kind is never one too many. */
export function addQuery(
  query: string,
  known: QueryShapes,
  limits: QueryLimits,
): 'trap_query_permutations' | 'trap_session_ids' | null {
  const names: string[] = [];
  const values: string[] = [];
  for (const piece of query.split('&')) {
    const at = piece.indexOf('=');
    const name = at === -1 ? piece : piece.slice(0, at);
    const value = at === -1 ? '' : piece.slice(at + 1);
    names.push(name);
    values.push(value);
    if (!tokenName.test(name.toLowerCase()) || !(looksRandom(value) || /^\d{10,}$/.test(value))) continue;
    if (!admits(known.tokens, fingerprint(value), limits.maxTokens)) return 'trap_session_ids';
  }
  const shape = fingerprint(names.join('&'));
  if (!admits(known.shapes, shape, limits.maxQueryShapes)) return 'trap_query_permutations';
  if (names.length < filterParameters) return null;
  return addChoices(shape, values, known, limits.maxQueryCombinations) ? null : 'trap_query_permutations';
}

/** Filters multiply: few values for each parameter, and any number of combinations. */
function addChoices(shape: number, values: string[], known: QueryShapes, limit: number): boolean {
  let choices = known.choices.get(shape);
  if (choices === 'open' || (choices === undefined && known.choices.size >= maxFollowed)) return true;
  if (choices === undefined) {
    choices = { values: values.map(() => new Set()), combinations: new Set() };
    known.choices.set(shape, choices);
  }
  for (const [i, value] of values.entries()) {
    const seen = choices.values[i] as Set<number>;
    seen.add(fingerprint(value));
    if (seen.size <= maxChoices) continue;
    known.choices.set(shape, 'open');
    return true;
  }
  return admits(choices.combinations, fingerprint(values.join('&')), limit);
}

/** Adds to a set that has a limit; what is in it already is always admitted. */
function admits(set: Set<number>, item: number, limit: number): boolean {
  if (set.has(item)) return true;
  if (set.size >= limit) return false;
  set.add(item);
  return true;
}
