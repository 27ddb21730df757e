import { fingerprint } from '../urls/hashes.ts';

/** The queries seen on one path, as fingerprints of bounded size. */
export interface QueryShapes {
  /** Lists of parameter names in their order, which a permutation changes. */
  readonly shapes: Set<number>;
  /** By shape: the values of each parameter, until there are too many for choices, and their combinations. */
  readonly choices: Map<number, Choices | 'open'>;
}

interface Choices {
  readonly values: Set<number>[];
  readonly combinations: Set<number>;
}

export const noShapes = (): QueryShapes => ({ shapes: new Set(), choices: new Map() });

export interface QueryLimits {
  readonly maxQueryShapes: number;
  readonly maxQueryCombinations: number;
}

/** More values than this are ids (`?f=3&t=8123&start=20`), not choices of a filter. */
const maxChoices = 32;
const filterParameters = 3;
/** Shapes of one path whose choices are tracked. */
const maxTracked = 4;

interface Query {
  readonly shape: number;
  readonly values: readonly number[];
}

function read(pieces: readonly string[]): Query {
  const names: string[] = [];
  const values: number[] = [];
  for (const piece of pieces) {
    const at = piece.indexOf('=');
    names.push(at === -1 ? piece : piece.slice(0, at));
    values.push(fingerprint(at === -1 ? '' : piece.slice(at + 1)));
  }
  return { shape: fingerprint(names.join('&')), values };
}

/** Whether the path has had more kinds of queries than anyone writes by hand, and this is another. */
export function isOneOfMany(pieces: readonly string[], known: QueryShapes, limits: QueryLimits): boolean {
  const { shape, values } = read(pieces);
  if (known.shapes.size >= limits.maxQueryShapes && !known.shapes.has(shape)) return true;
  const choices = known.choices.get(shape);
  if (choices === undefined || choices === 'open') return false;
  const isNewValue = values.some((value, i) => choices.values[i]?.has(value) === false);
  return (
    !isNewValue &&
    choices.combinations.size >= limits.maxQueryCombinations &&
    !choices.combinations.has(combinationOf(values))
  );
}

/** Remembers a query that was fetched. */
export function addQuery(pieces: readonly string[], known: QueryShapes, limits: QueryLimits): void {
  const { shape, values } = read(pieces);
  if (known.shapes.size < limits.maxQueryShapes) known.shapes.add(shape);
  if (values.length < filterParameters) return;
  let choices = known.choices.get(shape);
  if (choices === 'open' || (choices === undefined && known.choices.size >= maxTracked)) return;
  if (choices === undefined) {
    choices = { values: values.map(() => new Set()), combinations: new Set() };
    known.choices.set(shape, choices);
  }
  for (const [i, value] of values.entries()) {
    const seen = choices.values[i] as Set<number>;
    seen.add(value);
    if (seen.size <= maxChoices) continue;
    known.choices.set(shape, 'open');
    return;
  }
  if (choices.combinations.size < limits.maxQueryCombinations)
    choices.combinations.add(combinationOf(values));
}

const combinationOf = (values: readonly number[]): number => fingerprint(values.join('&'));
