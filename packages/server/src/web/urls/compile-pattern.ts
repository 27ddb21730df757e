import { HoldfastError } from '@holdfast/contract';
import { RE2JS } from 're2js';

type UrlPattern = (url: string) => boolean;

interface CompiledPattern {
  readonly matches: UrlPattern;
  /** Instructions, a measure of the cost of compiling and matching. */
  readonly size: number;
}

const maxPatternLength = 512;
const maxPatterns = 100;

/** RE2 expands `x{1000}`, so a short pattern can become a large program. */
const maxProgramSize = 10_000;

/** For a whole list: room for a hundred patterns of 512 plain characters. */
const maxListSize = 60_000;

/** Compiles a list of patterns to a test whether any of them matches a URL. */
export function compilePatterns(patterns: readonly string[], name: string): UrlPattern {
  let size = 0;
  const compiled = checkCount(patterns, name).map((pattern) => {
    const one = compile(pattern);
    size = addSize(size, one.size, name);
    return one.matches;
  });
  return (url) => compiled.some((matches) => matches(url));
}

/** Throws unless a crawl can use these patterns. `sizeOf` may return known sizes. */
export function checkList(patterns: readonly string[], name: string, sizeOf: (pattern: string) => number) {
  let size = 0;
  for (const pattern of checkCount(patterns, name)) size = addSize(size, sizeOf(pattern), name);
}

/** The number of instructions that a pattern compiles to. Throws if it is invalid. */
export const patternSize = (pattern: string): number => compile(pattern).size;

function checkCount(patterns: readonly string[], name: string): readonly string[] {
  if (patterns.length <= maxPatterns) return patterns;
  throw new HoldfastError(
    'bad_request',
    `${name} has ${patterns.length} patterns; at most ${maxPatterns} are allowed`,
  );
}

function addSize(size: number, by: number, name: string): number {
  if (size + by <= maxListSize) return size + by;
  throw new HoldfastError('bad_request', `the patterns of ${name} are too complex together`, {
    hint: 'Use fewer patterns, or smaller counts in {…}.',
  });
}

/**
 * Compiles a user's pattern to a test on canonical URLs.
 *
 * - `/…/` and `/…/i`: a regular expression (RE2), found anywhere in the URL.
 * - Otherwise a glob for the whole path: `*` matches anything but `/`, `**` matches anything; `/blog/**` includes `/blog`.
 *   Without a slash it matches any single segment (`*.pdf`); with a host (`//*.example.com/**`, `https://…`) the URL without its
 *   scheme, because http and https are one site; with a `?` also the query.
 *
 * RE2 matches in linear time, so that no pattern can stall a runner (V8 takes 22.8 s for `^(a+)+$`).
 */
export function compilePattern(pattern: string): UrlPattern {
  return compile(pattern).matches;
}

function compile(pattern: string): CompiledPattern {
  if (pattern.length > maxPatternLength)
    throw new HoldfastError(
      'bad_request',
      `a pattern has ${pattern.length} characters; at most ${maxPatternLength} are allowed`,
    );
  if (pattern.trim() === '') throw new HoldfastError('bad_request', 'a pattern is empty');
  const expression = /^\/(.+)\/(i?)$/s.exec(pattern);
  if (expression) {
    const regex = compileRegex(
      expression[1] as string,
      expression[2] === 'i' ? RE2JS.CASE_INSENSITIVE : 0,
      pattern,
    );
    return { matches: (url) => regex.test(url), size: regex.programSize() };
  }
  return compileGlob(pattern);
}

function compileRegex(source: string, flags: number, pattern: string): RE2JS {
  try {
    if (estimateProgram(source) > 2 * maxProgramSize) throw new Error('it is too complex');
    const regex = RE2JS.compile(source, flags);
    if (regex.programSize() > maxProgramSize) throw new Error('it is too complex');
    return regex;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HoldfastError('bad_request', `the pattern ${pattern} cannot be used: ${why}`, {
      cause,
      hint: 'A pattern between slashes is a regular expression (RE2 syntax). For a folder, write a glob such as /blog/**.',
    });
  }
}

function compileGlob(pattern: string): CompiledPattern {
  const hasHost = /^(?:https?:)?\/\//.test(pattern);
  const [path = '', query] = splitQuery(pattern.replace(/^https?:(?=\/\/)/, ''));
  let source = `^${pathSource(anchored(path, query))}`;
  if (query !== undefined) source += `\\?${query.split('*').map(RE2JS.quote).join('.*')}`;
  const regex = compileRegex(`${source}$`, RE2JS.DOTALL, pattern);
  return {
    matches: (url) => regex.test(subjectOf(url, hasHost, query !== undefined)),
    size: regex.programSize(),
  };
}

function splitQuery(glob: string): [string, string?] {
  const at = glob.indexOf('?');
  return at === -1 ? [glob] : [glob.slice(0, at), glob.slice(at + 1)];
}

/** A glob without a slash matches any segment and everything below it; any other is relative to the root. */
function anchored(path: string, query: string | undefined): string {
  if (path.includes('/')) return path.startsWith('/') ? path : `/${path}`;
  return query === undefined ? `/**/${path}/**` : `/**/${path || '*'}`;
}

function subjectOf(url: string, hasHost: boolean, hasQuery: boolean): string {
  const authority = url.indexOf('//');
  const start = hasHost ? authority : url.indexOf('/', authority + 2);
  const query = hasQuery ? -1 : url.indexOf('?', start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

function pathSource(glob: string): string {
  return glob.replace(/\/\*\*(?=\/|$)|\*\*|\*|[^*/]+|\//g, (token) => {
    // `/**/` also matches a single slash, and a final `/**` the folder itself.
    if (token === '/**') return '(?:/.*)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : RE2JS.quote(token);
  });
}

/**
 * Estimates the number of instructions of a regular expression from its text, because expanding counted repetitions is what takes
 * long (0.5 s for 400 characters repeated 1,000 times). It never overestimates by much, so that no valid pattern is refused.
 */
function estimateProgram(source: string): number {
  const groups: number[] = [];
  let sum = 0;
  let atom = 0;
  for (let at = 0; at < source.length; ) {
    const char = source[at] as string;
    const repeat = char === '{' ? repetition(source, at) : undefined;
    if (repeat) {
      sum += atom * Math.max(repeat.times - 1, 0);
      atom *= Math.max(repeat.times, 1);
      at = repeat.end;
    } else if (char === '(') {
      groups.push(sum);
      sum = 0;
      at++;
    } else if (char === ')') {
      atom = sum;
      sum += groups.pop() ?? 0;
      at++;
    } else if ('*+?|^$'.includes(char)) at++;
    else {
      atom = 1;
      sum++;
      at = endOfAtom(source, at);
    }
  }
  return groups.reduce((all, outer) => all + outer, sum);
}

function repetition(source: string, start: number): { times: number; end: number } | undefined {
  const found = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/.exec(source.slice(start, start + 12));
  return found ? { times: Number(found[2] || found[1]), end: start + found[0].length } : undefined;
}

function endOfAtom(source: string, start: number): number {
  if (source[start] === '\\') {
    const property = /^\\[pPx]\{[^}]{0,40}\}/.exec(source.slice(start, start + 45));
    return start + (property ? property[0].length : 2);
  }
  if (source[start] !== '[') return start + 1;
  // A leading bracket belongs to the class.
  let at = start + (source[start + 1] === '^' ? 3 : 2);
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}
