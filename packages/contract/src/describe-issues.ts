import type { z } from 'zod';
import { fieldName } from './field-name.ts';
import { notKnown } from './strict-fields.ts';

type Issue = z.core.$ZodIssue;

/** What is wrong with one field: `must be at most 1000`. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is wrong with an input, in words for whoever sent it: `payload.url is missing; priority must be at most 1000`. */
export function describeIssues(
  error: z.core.$ZodError,
  nameOf: (field: string) => string = (field) => field,
): string {
  return problemsOf(error)
    .map(({ path, message }) => `${nameOf(fieldName(path))} ${message}`.trimStart())
    .join('; ');
}

/** The same, field by field; the schema's own words are for those who write schemas. */
export function problemsOf({ issues }: z.core.$ZodError): Problem[] {
  const byField = new Map<string, Problem>();
  for (const problem of issues.flatMap((issue) => problemsIn(issue, []))) {
    const field = fieldName(problem.path);
    // What fails the first check of a field fails the next ones as well, and they say nothing more.
    if (!byField.has(field)) byField.set(field, problem);
  }
  return [...byField.values()];
}

function problemsIn(issue: Issue, above: readonly PropertyKey[]): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: issue.message.startsWith(notKnown) ? (issue.message.split('\n')[index] ?? notKnown) : notKnown,
    }));
  const [nearest] = issue.code === 'invalid_union' ? issue.errors : [];
  // The first alternative is the one that people write.
  if (nearest?.[0]) return problemsIn(nearest[0], path);
  return [{ path, message: messageOf(issue) }];
}

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'too_small':
      return size(issue.origin, `at least ${issue.minimum}`, issue.minimum, 'more');
    case 'too_big':
      return size(issue.origin, `at most ${issue.maximum}`, issue.maximum, 'fewer');
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return 'options' in issue && issue.options ? oneOf(issue.options) : 'is not valid';
    case 'invalid_format':
      return formats[issue.format] ?? custom(issue.message);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return `has an invalid name: it ${issue.issues.map(messageOf).join('; ')}`;
    default:
      return custom(issue.message);
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID, such as 01a1e1d5-de60-7d19-800b-34c5346a372f',
  guid: 'must be a UUID, such as 01a1e1d5-de60-7d19-800b-34c5346a372f',
  datetime: 'must be a time with its zone, such as 2030-01-31T08:00:00Z',
};

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;
}

/** Our own messages go on where the name of the field ends. */
function custom(message: string): string {
  return /^(must|is|has)\b/.test(message) ? message : `is not valid: ${message}`;
}

function size(origin: string, bound: string, limit: number | bigint, otherwise: 'more' | 'fewer'): string {
  if (origin === 'string' && otherwise === 'more' && limit === 1) return 'must not be empty';
  if (origin === 'string') return `must have ${bound} characters`;
  return origin === 'array' || origin === 'set' ? `must have ${bound} entries` : `must be ${bound}`;
}
