const controlCharacters: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const skippedMarks = ['<![CDATA[', ']]>', '-->', '\uFEFF'];

/**
 * The complete JSON values at the start of a broken block, as strict JSON. Repairs only what cannot change the meaning: drops
 * comments, CDATA marks, stray semicolons and trailing commas, escapes control characters in strings, and rewrites
 * JavaScript's escapes. Linear time.
 */
export function repairJson(text: string): string[] {
  const values: string[] = [];
  let out = '';
  let depth = 0;
  let comma = false;
  let at = 0;
  while (at < text.length) {
    const skipped = skipComment(text, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const c = text[at] as string;
    if (c === ',') {
      comma = out !== '';
      at++;
    } else if (c === ';' && depth === 0) {
      at++;
    } else if (c <= ' ' || c === '\u00A0') {
      at++;
    } else if (c === '"') {
      const [string, end] = readString(text, at);
      out += comma ? `,${string}` : string;
      comma = false;
      at = end;
    } else {
      const closes = c === '}' || c === ']';
      if (comma && !closes) out += ',';
      comma = false;
      out += c;
      at++;
      if (c === '{' || c === '[') depth++;
      if (closes) depth--;
      if (depth < 0) break;
      if (closes && depth === 0) {
        values.push(out);
        out = '';
      }
    }
  }
  return values;
}

/** The offset after a comment or mark that begins here, or the same offset. */
function skipComment(text: string, at: number): number {
  const c = text[at];
  if (c === '/' && text[at + 1] === '/') return endOf(text, '\n', at);
  if (c === '/' && text[at + 1] === '*') return endOf(text, '*/', at + 2);
  if (c === '<' && text.startsWith('<!--', at)) return endOf(text, '-->', at + 4);
  if (c !== '<' && c !== ']' && c !== '-' && c !== '\uFEFF') return at;
  const mark = skippedMarks.find((candidate) => text.startsWith(candidate, at));
  return mark ? at + mark.length : at;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function readString(text: string, start: number): [string: string, end: number] {
  let out = '"';
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return [`${out}${text.slice(from, at)}"`, at + 1];
    if (code === 92) {
      const [repaired, length] = repairEscape(text, at);
      out += text.slice(from, at) + repaired;
      at += length - 1;
      from = at + 1;
    } else if (code < 32) {
      const c = text[at] as string;
      out += text.slice(from, at) + (controlCharacters[c] ?? `\\u${code.toString(16).padStart(4, '0')}`);
      from = at + 1;
    }
  }
  return [`${out}${text.slice(from)}`, text.length];
}

function repairEscape(text: string, at: number): [repaired: string, length: number] {
  const next = text[at + 1] ?? '';
  if (next !== '' && '"\\/bfnrt'.includes(next)) return [`\\${next}`, 2];
  if (next === 'u' && /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6))) return [text.slice(at, at + 6), 6];
  if (next === 'x' && /^[0-9a-f]{2}$/i.test(text.slice(at + 2, at + 4)))
    return [`\\u00${text.slice(at + 2, at + 4)}`, 4];
  if (next === "'") return ["'", 2];
  // Most likely an unescaped backslash, as in a Windows path.
  return ['\\\\', 1];
}
