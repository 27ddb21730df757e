import { fieldName, HoldfastError, type Problem, problemsOf } from '@holdfast/contract';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

/** Where a request carries what is wrong: its own name for the whole of it. */
const parts = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' } as const;
export type RequestPart = keyof typeof parts;

const listedProblems = 20;
const toldProblems = 3;

/** Checks a part of a request by its schema. */
export const checkRequest: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart !== undefined && httpPart in parts ? (httpPart as RequestPart) : 'body';
  return (data: unknown) => {
    const checked = schema.safeParse(data);
    if (checked.success) return { value: checked.data };
    const isMissing = data === null || data === undefined;
    return { error: isMissing ? invalidBody('is missing') : invalidRequest(checked.error, part) };
  };
};

/** What is wrong with a body as a whole. */
export function invalidBody(message: string): HoldfastError {
  return new HoldfastError('bad_request', `body ${message}`, { details: [{ field: 'body', message }] });
}

/** What is wrong with a request: the first problems in a sentence, and a list for programs. */
export function invalidRequest(error: z.core.$ZodError, part: RequestPart = 'body'): HoldfastError {
  const problems = problemsOf(error);
  const details = problems.slice(0, listedProblems).map((problem) => ({
    field: fieldIn(part, problem),
    message: problem.message.slice(0, 500),
  }));
  const told = details.slice(0, toldProblems).map(({ field, message }) => `${field} ${message}`);
  const untold = problems.length - told.length;
  const more = untold > 0 ? [`and ${untold} more`] : [];
  return new HoldfastError('bad_request', [...told, ...more].join('; '), { details });
}

/** The values of a parameter that is given several times, or with commas, have no names of their own. */
function fieldIn(part: RequestPart, { path }: Problem): string {
  const named = part === 'querystring' ? path.filter((step) => typeof step !== 'number') : path;
  return fieldName(named).slice(0, 200) || parts[part];
}
