const entity = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
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

/** The value of an attribute in a tag's text, or undefined. */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  for (const [, found, double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    if (found?.toLowerCase() === name) return xmlText(double ?? single ?? '').trim();
  return undefined;
}
