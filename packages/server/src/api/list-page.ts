import { HoldfastError } from '@holdfast/contract';
import type { z } from 'zod';

/** A page of rows that were read with one more than `limit`: the extra row says whether there are more. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string | null,
): { data: Row[]; next_cursor: string | null } {
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: last !== undefined && found.length > limit ? cursorOf(last) : null };
}

/** A position in a list as an opaque token. */
export function writeCursor(position: object): string;
export function writeCursor(position: object | null): string | null;
export function writeCursor(position: object | null): string | null {
  return position && Buffer.from(JSON.stringify(position)).toString('base64url');
}

export function readCursor<Position>(
  schema: z.ZodType<Position>,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new HoldfastError('bad_request', 'cursor must be the next_cursor of an answer of this list');
  }
}
