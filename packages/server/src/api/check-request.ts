import {
  fieldName,
  HoldfastError,
  isStorable,
  notStorable,
  type Problem,
  problemsOf,
} from '@holdfast/contract';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import type { ApiServer } from './route-group.ts';

/** Where a request carries what is wrong: its own name for the whole of it. */
const parts = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' } as const;
type RequestPart = keyof typeof parts;

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
function invalidBody(message: string): HoldfastError {
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

const maxJsonDepth = 32;

interface Place {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * Refuses text that no database stores, and nesting that would exhaust the stack of whoever walks it. With a stack of
 * its own: the parser takes any depth.
 */
export function checkInput(input: unknown, name: string): void {
  const places: Place[] = [{ value: input, path: [] }];
  const refuse = (path: readonly PropertyKey[], message: string) => {
    const field = printable(fieldName(path)).slice(0, 200) || name;
    throw new HoldfastError('bad_request', `${field} ${message}`, { details: [{ field, message }] });
  };
  for (let place = places.pop(); place; place = places.pop()) {
    const { value, path } = place;
    if (typeof value === 'string' && !isStorable(value)) refuse(path, notStorable);
    if (typeof value !== 'object' || value === null) continue;
    if (path.length === maxJsonDepth) refuse([], `must not be nested deeper than ${maxJsonDepth} levels`);
    for (const [key, inner] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (!isStorable(key)) refuse([...path, step], notStorable);
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) {
        places.push({ value: inner, path: [...path, step] });
      }
    }
  }
}

function printable(field: string): string {
  return field.toWellFormed().replaceAll(/\p{Cc}/gu, '�');
}

/** JSON alone, and nothing for no body at all, whatever its Content-Type. Keys that would change a prototype are refused. */
export function acceptJson(server: ApiServer): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else
      parse(request, body as string, (error, value) => {
        const isSyntax = (error as { code?: string } | null)?.code === 'FST_ERR_CTP_INVALID_JSON_BODY';
        done(isSyntax ? invalidBody('must be JSON') : error, value);
      });
  });
}
