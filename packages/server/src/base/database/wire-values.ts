import pg from 'pg';

/** Type ids of PostgreSQL (pg_type). */
const oids = { int8: 20, int8Array: 1016, timestamptz: 1184, uuid: 2950 } as const;
const headerBytes = 20;

/**
 * A parameter in the protocol's binary format, which the driver uses for every Buffer: PostgreSQL copies the values instead
 * of parsing text (4,500 of the 88,000 instructions of a completion).
 */
export function uuidArray(ids: readonly string[]): Buffer {
  const array = emptyArray(oids.uuid, ids.length, 16);
  let at = headerBytes;
  for (const id of ids) {
    at = array.writeInt32BE(16, at);
    const hex = id.replaceAll('-', '');
    if (hex.length !== 32 || array.write(hex, at, 'hex') !== 16) throw new TypeError(`${id} is not a UUID`);
    at += 16;
  }
  return array;
}

export function int8Array(numbers: readonly number[]): Buffer {
  const array = emptyArray(oids.int8, numbers.length, 8);
  let at = headerBytes;
  for (const number of numbers) {
    at = array.writeInt32BE(8, at);
    at = array.writeBigInt64BE(BigInt(number), at);
  }
  return array;
}

/** One dimension, no nulls, counted from 1. */
function emptyArray(type: number, length: number, width: number): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + length * (4 + width));
  array.writeInt32BE(1, 0);
  array.writeInt32BE(0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** The parsers of one pool; `pg.types.setTypeParser` would change those of every library in the process. */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) => {
    if (format !== 'binary' && oid === oids.int8) return parseInt8;
    if (format !== 'binary' && oid === oids.timestamptz) return parseTimestamp;
    if (format !== 'binary' && oid === oids.int8Array)
      return (text: string) => toNumbers(parseTextArray(text));
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** int8 as a number: our ids and counts stay far below 2^53, and a larger value must not be rounded. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 value ${text} is beyond the safe integers`);
  return value;
}

type Nested = string | null | Nested[];
const parseTextArray = pg.types.getTypeParser(oids.int8Array as number) as (text: string) => Nested[];
const toNumbers = (value: Nested): unknown =>
  Array.isArray(value) ? value.map(toNumbers) : value === null ? null : parseInt8(value);

const parseAnyTimestamp = pg.types.getTypeParser(oids.timestamptz as number) as (text: string) => Date;

/** V8's parser takes half as long (0.6 µs a value); the driver's reads the rest (infinity, BC). */
function parseTimestamp(text: string): Date {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? parseAnyTimestamp(text) : date;
}
