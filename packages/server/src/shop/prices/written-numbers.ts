/** A number as written: its runs of digits and the separator before each. */
export interface WrittenNumber {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly NumberPart[];
}

interface NumberPart {
  /** For the first part: a leading separator or nothing. */
  readonly separator: string;
  readonly digits: string;
}

const apostrophes = `'’‘´\`ʼ′`;
const firstDigits = /\d+/y;
/** A point or comma, possibly followed by a space; an apostrophe or space only groups thousands. */
const nextPart = new RegExp(`([.,·]|[.,] (?=\\d\\d(?!\\d))|[${apostrophes} ](?=\\d{3}(?!\\d)))(\\d+)`, 'y');

/** The numbers in a text, left to right. `taken`: whether a character belongs to something else. */
export function findNumbers(text: string, taken: (at: number) => boolean): WrittenNumber[] {
  const numbers: WrittenNumber[] = [];
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text, at)) continue;
    const number = readAt(text, at, taken);
    numbers.push(number);
    at = number.end - 1;
  }
  return numbers;
}

function readAt(text: string, start: number, taken: (at: number) => boolean): WrittenNumber {
  const before = text[start - 1];
  const led = (before === '.' || before === ',') && !taken(start - 1);
  firstDigits.lastIndex = start;
  const digits = firstDigits.exec(text)?.[0] ?? '';
  const parts: NumberPart[] = [{ separator: led ? before : '', digits }];
  let end = start + digits.length;
  for (;;) {
    nextPart.lastIndex = end;
    const match = nextPart.exec(text);
    if (match === null || taken(end) || !fits(parts, match[1] as string)) break;
    parts.push({ separator: (match[1] as string).trim() || ' ', digits: match[2] as string });
    end += match[0].length;
  }
  return { start: led ? start - 1 : start, end, parts };
}

/** A space joins groups of three after a short first group, but nothing joins the decimals in "5.00 120". */
function fits(parts: readonly NumberPart[], separator: string): boolean {
  if (separator !== ' ') return true;
  const [first, ...rest] = parts;
  return first !== undefined && first.digits.length <= 3 && rest.every((part) => part.separator === ' ');
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

export interface Separators {
  readonly decimal?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * The number as an exact decimal. Unless given, the decimal separator is the last of two kinds, or a single one that is not followed
 * by exactly three digits. Three digits are a group, except after a zero or more than three digits, and in currencies with three
 * decimals.
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

/** The index of the part with the decimals, or the number of parts. */
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
