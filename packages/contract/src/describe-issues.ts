import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What is wrong with an input, in words for whoever sent it: `payload.url is missing; priority must be at most 1000`. */
export function describeIssues(
  { issues }: z.core.$ZodError,
  nameOf: (field: string) => string = (field) => field,
): string {
  return issues.map((issue) => describe(issue, [], nameOf)).join('; ');
}

function describe(issue: Issue, above: readonly PropertyKey[], nameOf: (field: string) => string): string {
  const path = [...above, ...issue.path];
  const [nearest] = issue.code === 'invalid_union' ? issue.errors : [];
  // The first alternative is the one that people write.
  if (nearest?.[0]) return describe(nearest[0], path, nameOf);
  const field = nameOf(path.map(String).join('.'));
  const problem = problemOf(issue);
  return field === '' ? problem : `${field} ${problem}`;
}

function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'too_small':
      return size(issue.origin, `at least ${issue.minimum}`, issue.minimum, 'more');
    case 'too_big':
      return size(issue.origin, `at most ${issue.maximum}`, issue.maximum, 'fewer');
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has fields that nobody knows: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'is not valid';
    default:
      return /^must\b/.test(issue.message) ? issue.message : `is not valid: ${issue.message}`;
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

function size(origin: string, bound: string, limit: number | bigint, otherwise: 'more' | 'fewer'): string {
  if (origin === 'string' && otherwise === 'more' && limit === 1) return 'must not be empty';
  if (origin === 'string') return `must have ${bound} characters`;
  return origin === 'array' || origin === 'set' ? `must have ${bound} entries` : `must be ${bound}`;
}
