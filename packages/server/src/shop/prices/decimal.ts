/** An exact number: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Numbers with more digits or higher powers are no amounts of money. */
const longest = 60;
const written = /^([+-]?)(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Parses ASCII digits with an optional point and exponent; null for anything else. */
export function parseDecimal(text: string): Decimal | null {
  const match = written.exec(text.trim());
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > longest) return null;
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return scale < 0 ? { units: units * power(-scale), scale: 0 } : { units, scale };
}

/** For text that is known to be a decimal, such as a column or a constant. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === null) throw new RangeError(`${text.slice(0, 80)} is not a decimal number.`);
  return value;
}

export function formatDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, scale: b.scale });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** The quotient with `scale` decimals, halves rounded away from zero as is usual for money. */
export function divideDecimals(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.units === 0n) throw new RangeError('Division by zero.');
  const numerator = a.units * power(Math.max(0, scale + b.scale - a.scale));
  const denominator = b.units * power(Math.max(0, a.scale - b.scale - scale));
  return { units: divideRounding(numerator, denominator), scale };
}

/** Rounds to `scale` decimals. */
export function roundDecimal(value: Decimal, scale: number): Decimal {
  return divideDecimals(value, { units: 1n, scale: 0 }, scale);
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = unitsAt(a, scale) - unitsAt(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The units at a scale that is at least as large. */
export function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * power(wanted - scale);
}

function divideRounding(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}
