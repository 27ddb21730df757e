/*
 * Writes packages/sdk/src/operations.ts from the OpenAPI document: the types of what is sent and answered, and the table of
 * routes that the client calls. test/sdk/operations.test.ts holds the file to the document, and writes it anew with
 * `npx vitest run test/sdk/operations.test.ts -u`.
 */
import {
  executors,
  jobKinds,
  jobStatuses,
  keyScopes,
  pageChanges,
  pageOutcomes,
  transitionNames,
  userActions,
} from '@holdfast/contract';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Lists of words that have a name of their own. */
const wordLists: Readonly<Record<string, readonly string[]>> = {
  Executor: executors,
  JobAction: [...userActions, 'retryUrls'],
  JobKind: jobKinds,
  JobStatus: jobStatuses,
  KeyScope: keyScopes,
  PageChange: pageChanges,
  PageOutcome: pageOutcomes,
  Transition: transitionNames,
  UserAction: userActions,
};

export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DescribedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The native API but for the sessions of the console, and what bots say. The dialects of others are theirs. */
const spoken = /^\/api\/(v1\/(?!session(\/|$))|crawl\/)/;

/** The routes that the SDK speaks. */
export function sdkOperations({ paths }: ApiDescription): DescribedOperation[] {
  return Object.entries(paths)
    .filter(([path]) => spoken.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        if (!operation.operationId) throw new Error(`${method} ${path} has no operationId`);
        return { name: operation.operationId, method: method.toUpperCase(), path, operation };
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function generateSdk(document: ApiDescription): string {
  const writer = new TypeWriter(document);
  const operations = sdkOperations(document);
  const calls = operations.map((described) => writer.call(described));
  const table = operations.map(
    ({ name, method, path, operation }) =>
      `${comment(operation.summary)}${name}: { method: '${method}', path: '${path}' },`,
  );
  return `// Written from the OpenAPI document by scripts/generate-sdk.ts; a test holds it to the document.
${writer.declarations.join('\n\n')}

/** What each operation takes and answers. */
export interface Calls {
${calls.join('\n')}
}

export type OperationName = keyof Calls;

/** Where each operation is found. */
export const operations = {
${table.join('\n')}
} as const satisfies Record<OperationName, { readonly method: string; readonly path: string }>;
`;
}

class TypeWriter {
  readonly #schemas: ApiDescription['components']['schemas'];
  readonly #declared = new Map<string, string>();

  constructor({ components }: ApiDescription) {
    this.#schemas = components.schemas;
  }

  get declarations(): string[] {
    return [...this.#declared].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  call({ name, operation }: DescribedOperation): string {
    const title = name.replace(/^./, (letter) => letter.toUpperCase());
    const parameters = (place: string): Schema => {
      const chosen = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
      return {
        type: 'object',
        properties: Object.fromEntries(
          chosen.map(({ name, description, schema }) => [
            name,
            { ...schema, ...(description && { description }) },
          ]),
        ),
        required: chosen.filter(({ required }) => required).map(({ name }) => name),
      };
    };
    const path = parameters('path');
    const query = parameters('query');
    const body = operation.requestBody?.content['application/json']?.schema;
    const bodyType = body ? this.#named(`${title}Body`, body) : 'undefined';
    const isOptional = operation.requestBody?.required !== true || bodyType.includes('| null');
    return `${name}: {
  path: ${this.#type(path)};
  query: ${Object.keys(query.properties ?? {}).length > 0 ? this.#named(`${title}Query`, query) : 'undefined'};
  body: ${bodyType}${body && isOptional ? ' | undefined' : ''};
  answer: ${this.#answer(title, operation)};
};`;
  }

  /** Of all that a success may answer; what is not JSON, or is not described, is text. */
  #answer(title: string, { responses }: Operation): string {
    const types = Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, { content }]) => {
        if (!content) return 'undefined';
        const schema = content['application/json']?.schema;
        return schema ? this.#named(`${title}Answer`, schema) : 'string';
      });
    return union(types) || 'string';
  }

  /** A name for what has none, if it is large enough to need one. */
  #named(name: string, schema: Schema): string {
    const { data, next_cursor } = schema.properties ?? {};
    if (data?.items && next_cursor) return this.#page(this.#type(data.items));
    if (schema.$ref || !schema.properties) return this.#type(schema);
    this.#declare(name, schema);
    return name;
  }

  #page(item: string): string {
    this.#declared.set(
      'Page',
      `/** One page of a list. Go on while next_cursor is not null, however short the page is. */
export interface Page<Item> {
  data: Item[];
  /** \`cursor\` of the next page; null at the end */
  next_cursor: string | null;
}`,
    );
    return `Page<${item}>`;
  }

  #reference(ref: string): string {
    const full = ref.replace('#/components/schemas/', '');
    const schema = this.#schemas[full];
    if (!schema) throw new Error(`nothing is called ${full}`);
    const short = full.replace(/Input$/, '');
    // The form of requests gives way to that of answers, where a schema is used in both.
    const name = full !== short && this.#schemas[short] ? full : short;
    if (!this.#declared.has(name)) this.#declare(name, schema);
    return name;
  }

  #declare(name: string, schema: Schema): void {
    // First, for schemas that name themselves.
    this.#declared.set(name, '');
    const body = this.#type(schema);
    const text = schema.properties ? `interface ${name} ${body}` : `type ${name} = ${body};`;
    this.#declared.set(name, `${comment(schema.description)}export ${text}`);
  }

  #type(schema: Schema): string {
    if (schema.$ref) return this.#reference(schema.$ref);
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum) return this.#words(schema.enum.map((value) => JSON.stringify(value)));
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return union(either.map((part) => this.#type(part)));
    if (schema.allOf) return schema.allOf.map((part) => `(${this.#type(part)})`).join(' & ');
    const types = [schema.type ?? []].flat();
    return types.length === 0 ? 'unknown' : union(types.map((type) => this.#single(type, schema)));
  }

  #words(words: readonly string[]): string {
    const text = union(words.toSorted());
    const [name] =
      Object.entries(wordLists).find(
        ([, list]) => union(list.map((word) => JSON.stringify(word)).toSorted()) === text,
      ) ?? [];
    if (name === undefined) return union(words);
    this.#declared.set(name, `export type ${name} = ${union(words)};`);
    return name;
  }

  #single(type: string, schema: Schema): string {
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'array') return listOf(schema.items ? this.#type(schema.items) : 'unknown');
    if (type === 'object') return this.#object(schema);
    if (type === 'string' || type === 'boolean' || type === 'null') return type;
    throw new Error(`no type is called ${type}`);
  }

  #object({ properties, required = [], additionalProperties }: Schema): string {
    const fields = Object.entries(properties ?? {});
    if (fields.length === 0) {
      const isOpen = typeof additionalProperties === 'object';
      return `Record<string, ${isOpen ? this.#type(additionalProperties) : properties ? 'never' : 'unknown'}>`;
    }
    const lines = fields.map(([name, schema]) => {
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const isNeeded = required.includes(name);
      return `${comment(meaning(schema))}${key}${isNeeded ? '' : '?'}: ${this.#type(schema)}${isNeeded ? '' : ' | undefined'};`;
    });
    const isShort = lines.length <= 2 && lines.every((line) => !line.startsWith('/**'));
    return isShort ? `{ ${lines.join(' ')} }` : `{\n${lines.join('\n')}\n}`;
  }
}

function listOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function meaning({ description, default: preset }: Schema): string | undefined {
  const parts = [description, preset !== undefined && `Default: ${JSON.stringify(preset)}`];
  return parts.filter(Boolean).join('. ') || undefined;
}

function comment(text: string | undefined): string {
  if (!text) return '';
  return `/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}
