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

/** What an interface has: a line for each field, with its comment. */
interface Shape {
  readonly comment: string;
  readonly fields: readonly string[];
}

/** Fewer fields than this may be the same by chance. */
const leastShared = 4;

class TypeWriter {
  readonly #schemas: ApiDescription['components']['schemas'];
  readonly #types = new Map<string, string>();
  readonly #shapes = new Map<string, Shape>();
  /** Shapes that exist only to be extended. */
  readonly #bases = new Map<string, Shape>();
  /** Objects without a name that have been written. */
  readonly #anonymous = new Set<string>();

  constructor({ components }: ApiDescription) {
    this.#schemas = components.schemas;
  }

  get declarations(): string[] {
    const declared = new Map(this.#types);
    const extended = new Set<string>();
    const shapes = [...this.#shapes, ...this.#bases];
    for (const [name, shape] of shapes) {
      const { bases, fields } = this.#divide(name, shape);
      if (this.#shapes.has(name)) for (const base of bases) extended.add(base);
      declared.set(name, `${shape.comment}export ${interfaceText(name, bases, fields)}`);
    }
    for (const name of this.#bases.keys()) if (!extended.has(name)) declared.delete(name);
    return [...declared].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** The shapes that hold most of its fields, and the fields that are left. */
  #divide(name: string, { fields }: Shape): { bases: string[]; fields: string[] } {
    const bases: string[] = [];
    let left = [...fields];
    const candidates = [...this.#shapes, ...this.#bases]
      // That two lists can be asked for the same is chance.
      .filter(([other]) => this.#bases.has(other) || !other.endsWith('Query'))
      .filter(([other, shape]) => other !== name && shape.fields.every((field) => fields.includes(field)))
      .filter(([other, shape]) => shape.fields.length < fields.length || this.#bases.has(other))
      .toSorted(([a, one], [b, two]) => two.fields.length - one.fields.length || (a < b ? -1 : 1));
    for (const [base, shape] of candidates) {
      const least = this.#bases.has(base) ? 2 : leastShared;
      if (left.filter((field) => shape.fields.includes(field)).length < least) continue;
      left = left.filter((field) => !shape.fields.includes(field));
      bases.push(base);
    }
    return { bases, fields: left };
  }

  call({ name, operation }: DescribedOperation): string {
    const title = capitalised(name);
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
    this.#types.set(
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
    if (!this.#types.has(name) && !this.#shapes.has(name)) this.#declare(name, schema);
    return name;
  }

  #declare(name: string, schema: Schema): void {
    // First, for schemas that name themselves.
    this.#types.set(name, '');
    if (schema.properties) {
      const fields = this.#fields(schema);
      this.#shapes.set(name, { comment: comment(schema.description), fields });
      this.#types.delete(name);
      // A query of these two alone is what others add to.
      if (Object.keys(schema.properties).sort().join() === 'cursor,limit')
        this.#bases.set('PageQuery', { comment: '/** Which page of a list. */\n', fields });
      return;
    }
    const type = this.#variants(name, schema) ?? this.#type(schema);
    this.#types.set(name, `${comment(schema.description)}export type ${name} = ${type};`);
  }

  /** Names the objects that a word tells apart: NewJob is NewCrawlJob or NewVisitJob. */
  #variants(name: string, { anyOf, oneOf }: Schema): string | undefined {
    const variants = (oneOf ?? anyOf ?? []).map((schema) => ({ schema, word: wordOf(schema) }));
    const words = new Set(variants.flatMap(({ word }) => word ?? []));
    if (variants.length < 2 || words.size < variants.length) return undefined;
    const names = variants.map(({ schema, word = '' }) => {
      const variant = name.replace(/(?=[A-Z][a-z]*$)/, capitalised(word));
      this.#declare(variant, schema);
      return variant;
    });
    const [first, ...others] = names.map((variant) => this.#shapes.get(variant)?.fields ?? []);
    const fields = (first ?? []).filter((field) => others.every((other) => other.includes(field)));
    if (fields.length >= leastShared) this.#bases.set(`${name}Fields`, { comment: '', fields });
    return union(names);
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
    this.#types.set(name, `export type ${name} = ${union(words)};`);
    return name;
  }

  #single(type: string, schema: Schema): string {
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'array') return listOf(schema.items ? this.#type(schema.items) : 'unknown');
    if (type === 'object') return this.#object(schema);
    if (type === 'string' || type === 'boolean' || type === 'null') return type;
    throw new Error(`no type is called ${type}`);
  }

  #object(schema: Schema): string {
    const { properties, additionalProperties } = schema;
    if (Object.keys(properties ?? {}).length === 0) {
      const isOpen = typeof additionalProperties === 'object';
      return `Record<string, ${isOpen ? this.#type(additionalProperties) : properties ? 'never' : 'unknown'}>`;
    }
    const fields = this.#fields(schema);
    if (fields.length <= 2 && fields.every((field) => !field.startsWith('/**')))
      return `{ ${fields.join(' ')} }`;
    const text = `{\n${fields.join('\n')}\n}`;
    if (this.#anonymous.has(text))
      throw new Error(
        `Give the schema of this object an id in the contract, because it is used twice: ${text}`,
      );
    this.#anonymous.add(text);
    return text;
  }

  #fields({ properties = {}, required = [] }: Schema): string[] {
    return Object.entries(properties).map(([name, schema]) => {
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const isNeeded = required.includes(name);
      return `${comment(meaning(schema))}${key}${isNeeded ? '' : '?'}: ${this.#type(schema)}${isNeeded ? '' : ' | undefined'};`;
    });
  }
}

function interfaceText(name: string, bases: readonly string[], fields: readonly string[]): string {
  if (fields.length === 0 && bases.length === 1) return `type ${name} = ${bases[0]};`;
  const heritage = bases.length > 0 ? ` extends ${bases.join(', ')}` : '';
  return `interface ${name}${heritage} {\n${fields.join('\n')}\n}`;
}

/** The word that tells a variant from the others. */
function wordOf({ properties = {} }: Schema): string | undefined {
  const words = Object.values(properties).map((schema) => schema.const);
  return words.find((word) => typeof word === 'string');
}

function capitalised(word: string): string {
  return word.replace(/^./, (letter) => letter.toUpperCase());
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
