/** A GTIN of 8, 12, 13 or 14 digits whose check digit is right; null for anything else. An ISBN-10 becomes its GTIN. */
export function readGtin(text: string | null): string | null {
  const digits = text?.replace(/[\s-]/g, '').replace(/^isbn:?/i, '') ?? '';
  if (/^\d{9}[\dX]$/i.test(digits)) return withCheckDigit(`978${digits.slice(0, 9)}`);
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return null;
  return withCheckDigit(digits.slice(0, -1)) === digits ? digits : null;
}

/** GS1's: digits weigh 3 and 1 in turn from the right. */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits.at(-1 - i)) * (i % 2 === 0 ? 3 : 1);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
