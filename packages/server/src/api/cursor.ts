import { HoldfastError } from '@holdfast/contract';
import type { z } from 'zod';

/** A place in a list, as clients carry it: theirs to send back, not to read. */
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
