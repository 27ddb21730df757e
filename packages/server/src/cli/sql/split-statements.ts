/** Parts in which a semicolon does not end a statement. Block comments nest, so they are counted apart. */
const opaque =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[\s\S]*?\1|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;

/** Splits SQL into statements and drops empty ones. A wrong split would show as a syntax error of the server. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let at = 0;
  let isEmpty = true;
  const end = () => {
    if (!isEmpty) statements.push(text.slice(start, at).trim());
    start = at + 1;
    isEmpty = true;
  };
  while (at < text.length) {
    const comment = text.startsWith('/*', at) ? endOfComment(text, at) : at;
    if (comment > at) {
      at = comment;
      continue;
    }
    opaque.lastIndex = at;
    const [found] = opaque.exec(text) ?? [];
    if (found === undefined) {
      if (text[at] === ';') end();
      else if (!/\s/.test(text[at] ?? '')) isEmpty = false;
      at++;
      continue;
    }
    if (!found.startsWith('--')) isEmpty = false;
    at += found.length;
  }
  end();
  return statements;
}

function endOfComment(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    if (text.startsWith('/*', at)) depth++;
    else if (text.startsWith('*/', at)) depth--;
    else {
      at++;
      continue;
    }
    at += 2;
  } while (depth > 0 && at < text.length);
  return at;
}
