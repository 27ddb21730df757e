import pg from 'pg';

const int8 = 20;
const int8Array = 1016;
const timestamptz = 1184;

/** int8 as a number: ids and counts of ours stay far below 2^53, and one that does not must not be rounded. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 value ${text} is beyond the safe integers`);
  return value;
}

type Nested = string | null | Nested[];
const parseTextArray = pg.types.getTypeParser(int8Array as number) as (text: string) => Nested[];
const toNumbers = (value: Nested): unknown =>
  Array.isArray(value) ? value.map(toNumbers) : value === null ? null : parseInt8(value);

const parseAnyTimestamp = pg.types.getTypeParser(timestamptz as number) as (text: string) => Date;

/** V8's own parser takes 0.6 µs a value against 1.3; what it cannot read (infinity, BC) goes to the driver's. */
function parseTimestamp(text: string): Date {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? parseAnyTimestamp(text) : date;
}

/** For one pool; `pg.types.setTypeParser` would change it for every library in the process. */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) => {
    if (format !== 'binary' && oid === int8) return parseInt8;
    if (format !== 'binary' && oid === timestamptz) return parseTimestamp;
    if (format !== 'binary' && oid === int8Array) return (text: string) => toNumbers(parseTextArray(text));
    return pg.types.getTypeParser(oid, format as 'text');
  },
};
