/**
 * About how many instructions a regular expression has once its counted repetitions are written out, from its text alone:
 * writing them out is what takes long (measured: 0.5 s for 400 characters repeated 1,000 times). Never much more than it
 * becomes, so that no pattern is refused for it that would have passed.
 */
export function estimateProgram(source: string): number {
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
  // A bracket that comes first is one of the class.
  let at = start + (source[start + 1] === '^' ? 3 : 2);
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}
