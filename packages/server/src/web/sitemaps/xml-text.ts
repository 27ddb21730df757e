const entity = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const isSpace = /\s/;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text with XML's five entities and numeric references replaced; any other `&` is itself. */
export function xmlText(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replace(
    entity,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return named[name.toLowerCase()] as string;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/**
 * The value of an attribute in a tag's text, or undefined. Goes from one equals sign to the next, because a pattern that
 * begins with a name starts anew at each of its characters.
 */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  let from = 0;
  for (let equals = attributes.indexOf('='); equals !== -1; equals = attributes.indexOf('=', from)) {
    const found = lastWord(attributes.slice(from, equals));
    from = equals + 1;
    const value = attributes.slice(from).trimStart();
    const close = value[0] === '"' || value[0] === "'" ? value.indexOf(value[0], 1) : -1;
    if (close === -1 || found === '') continue;
    if (found.toLowerCase() === name) return xmlText(value.slice(1, close)).trim();
    from = attributes.length - value.length + close + 1;
  }
  return undefined;
}

function lastWord(text: string): string {
  const trimmed = text.trimEnd();
  let start = trimmed.length;
  while (start > 0 && !isSpace.test(trimmed[start - 1] as string)) start--;
  return trimmed.slice(start);
}
