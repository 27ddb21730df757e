import { sessionKind } from './session-parameters.ts';
import { isTrackingParameter } from './tracking-parameters.ts';

export type ParameterKind = 'tracking' | 'session' | 'maybe_session' | 'content';

/** A site has few parameter names and repeats them in every link: looking one up beats examining it five times over. */
const known = new Map<string, ParameterKind>();
const knownLimit = 1_000;

/** What a query parameter is there for, by its name in any case. */
export function parameterKind(name: string): ParameterKind {
  const kind = known.get(name);
  if (kind !== undefined) return kind;
  const lower = name.toLowerCase();
  const found = isTrackingParameter(lower) ? 'tracking' : (sessionKind(lower) ?? 'content');
  if (known.size >= knownLimit) known.clear();
  if (name.length <= 64) known.set(name, found);
  return found;
}
