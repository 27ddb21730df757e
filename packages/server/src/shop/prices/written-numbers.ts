/** A number as written: its runs of digits, and what stands before each. */
export interface WrittenNumber {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly NumberPart[];
}

export interface NumberPart {
  /** Of the first part: a separator that leads the number, or nothing. */
  readonly separator: string;
  readonly digits: string;
}

const apostrophes = `'’‘´\`ʼ′`;
const firstDigits = /\d+/y;
/** A point or comma, some authors put a space after it; an apostrophe or a space only groups thousands. */
const nextPart = new RegExp(`([.,·]|[.,] (?=\\d\\d(?!\\d))|[${apostrophes} ](?=\\d{3}(?!\\d)))(\\d+)`, 'y');

/** The numbers of a text, left to right. `taken` says which characters belong to something else. */
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

/** A space joins groups of three to a short beginning, and nothing follows the decimals of "5.00 120". */
function fits(parts: readonly NumberPart[], separator: string): boolean {
  if (separator !== ' ') return true;
  const [first, ...rest] = parts;
  return first !== undefined && first.digits.length <= 3 && rest.every((part) => part.separator === ' ');
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
