import type { NumberPart } from './written-numbers.ts';

export interface Separators {
  readonly decimal?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * The number as an exact decimal. Which separator is the decimal one, if nobody says: the last of two kinds; one that
 * stands once, unless exactly three digits follow it. Three digits are a group, but for those after a zero or more than
 * three digits, and those of a currency with three decimals.
 */
export function readNumber(
  parts: readonly NumberPart[],
  separators: Separators,
  minorDigits: number,
): string {
  const decimals = startOfDecimals(parts, separators, minorDigits);
  const join = (list: readonly NumberPart[]) => list.map(({ digits }) => digits).join('');
  const whole = join(parts.slice(0, decimals)).replace(/^0+(?=\d)/, '') || '0';
  const rest = join(parts.slice(decimals));
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** The index of the part with the decimals; the number of parts if there are none. */
function startOfDecimals(
  parts: readonly NumberPart[],
  { decimal, group }: Separators,
  minorDigits: number,
): number {
  const none = parts.length;
  if (decimal !== undefined) {
    const at = parts.findLastIndex(({ separator }) => separator === decimal);
    return at < 0 ? none : at;
  }
  const last = parts.length - 1;
  const { separator, digits } = parts[last] as NumberPart;
  if (separator === '' || separator === group || !'.,·'.includes(separator)) return none;
  if (last === 0) return 0;
  const kinds = new Set(parts.slice(1).map((part) => part.separator));
  const repeats = parts.slice(1).filter((part) => part.separator === separator).length;
  if (digits.length !== 3) return last;
  if (kinds.size > 1) return repeats === 1 ? last : none;
  if (repeats > 1) return none;
  const whole = (parts[0] as NumberPart).digits;
  const isGroup = /^[1-9]\d{0,2}$/.test(whole) && minorDigits !== 3;
  return isGroup ? none : last;
}
