const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The same JSON with its numbers in quotes. What was no JSON before is none after. */
export function quoteNumbers(json: string): string {
  let out = '';
  let copied = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === 92) at++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 45 || (code >= 48 && code <= 57)) {
      number.lastIndex = at;
      const digits = number.exec(json)?.[0] ?? '';
      if (digits === '') continue;
      out += `${json.slice(copied, at)}"${digits}"`;
      copied = at + digits.length;
      at = copied - 1;
    }
  }
  return out + json.slice(copied);
}
