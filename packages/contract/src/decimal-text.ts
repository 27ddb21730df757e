const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
const maxDigits = 20;

/**
 * A number as it was written, without exponent: the digits stay what they were. Undefined for what is no number, or has
 * more than 20 digits on either side of the point.
 */
export function decimalText(source: string): string | undefined {
  const match = source.length <= 100 ? decimal.exec(source) : null;
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  // A point that lies outside the digits needs zeros in between; no more of them than could be accepted.
  const point = whole.length + Number(exponent);
  if (Math.abs(point) > 200) return /^0+$/.test(digits) ? '0' : undefined;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits + '0'.repeat(Math.max(0, point - digits.length));
  const split = Math.max(1, point);
  const left = padded.slice(0, split).replace(/^0+(?=\d)/, '');
  const right = padded.slice(split);
  if (left.length > maxDigits || right.length > maxDigits) return undefined;
  const isZero = /^0*$/.test(left + right);
  return `${isZero ? '' : sign}${left}${right && `.${right}`}`;
}
