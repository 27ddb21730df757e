const uuidType = 2950;
const int8Type = 20;
const header = 20;

/**
 * Arrays as the protocol's binary format has them: PostgreSQL copies the values of a batch instead of reading texts (4,500
 * of a completion's 88,000 instructions). The driver sends every Buffer as binary.
 */
export function uuidArray(ids: readonly string[]): Buffer {
  const array = emptyArray(uuidType, ids.length, 16);
  let at = header;
  for (const id of ids) {
    at = array.writeInt32BE(16, at);
    const hex = id.replaceAll('-', '');
    if (hex.length !== 32 || array.write(hex, at, 'hex') !== 16) throw new TypeError(`${id} is no UUID`);
    at += 16;
  }
  return array;
}

export function int8Array(numbers: readonly number[]): Buffer {
  const array = emptyArray(int8Type, numbers.length, 8);
  let at = header;
  for (const number of numbers) {
    at = array.writeInt32BE(8, at);
    at = array.writeBigInt64BE(BigInt(number), at);
  }
  return array;
}

/** One dimension, no nulls, counted from 1. */
function emptyArray(type: number, length: number, width: number): Buffer {
  const array = Buffer.allocUnsafe(header + length * (4 + width));
  array.writeInt32BE(1, 0);
  array.writeInt32BE(0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
