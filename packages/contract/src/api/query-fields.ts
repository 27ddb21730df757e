import { z } from 'zod';

/*
 * Fields that are text in a query string and typed in a JSON body. Text that is not exactly a number, true or false is
 * left for the schema to refuse.
 */
const fromText = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;

export const queryNumber = (min: number, max: number) => z.preprocess(fromText, z.int().min(min).max(max));

export const queryBoolean = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

/** Several values: `?status=failed&status=expired`, or with commas between them. */
export const queryList = <Item extends z.ZodType>(item: Item, max = 50) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(item).min(1).max(max),
  );

export const pageLimit = queryNumber(1, 1000).default(50).describe('maximum number of entries');
