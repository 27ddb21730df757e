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

/** The parts of a request, as error messages name them. */
const parts = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' } as const;
type RequestPart = keyof typeof parts;

const listedProblems = 20;
const shownProblems = 3;

/** Validates a part of a request against its schema. */
export const checkRequest: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart !== undefined && httpPart in parts ? (httpPart as RequestPart) : 'body';
  return (data: unknown) => {
    const checked = schema.safeParse(data);
    if (checked.success) return { value: checked.data };
    const isMissing = data === null || data === undefined;
    return { error: isMissing ? invalidBody('is missing') : invalidRequest(checked.error, part) };
  };
};

/** A problem with the body as a whole. */
function invalidBody(message: string): HoldfastError {
  return new HoldfastError('bad_request', `body ${message}`, { details: [{ field: 'body', message }] });
}

/** Validation problems: the first ones as a sentence, more as a list for programs. */
export function invalidRequest(error: z.core.$ZodError, part: RequestPart = 'body'): HoldfastError {
  const problems = problemsOf(error);
  const details = problems.slice(0, listedProblems).map((problem) => ({
    field: fieldIn(part, problem),
    message: problem.message.slice(0, 500),
  }));
  const shown = details.slice(0, shownProblems).map(({ field, message }) => `${field} ${message}`);
  const hidden = problems.length - shown.length;
  const more = hidden > 0 ? [`and ${hidden} more`] : [];
  return new HoldfastError('bad_request', [...shown, ...more].join('; '), { details });
}

/** Repeated or comma-separated values of a query parameter share the name of the parameter. */
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
 * Refuses text that PostgreSQL cannot store, and deep nesting that would overflow the stack of recursive code. Iterative,
 * because the parser accepts any depth.
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

/** Accepts JSON only, and an empty body with any Content-Type. Refuses keys that would change a prototype. */
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
