import fc from 'fast-check';
import { naughtyText } from './naughty-text.ts';

/** What OpenAPI documents are made of, as far as ours go. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly examples?: readonly unknown[];
}

/** The schemas of one document: small examples of what they allow, and things to try that they hardly do. */
export class Schemas {
  readonly #named: Readonly<Record<string, JsonSchema>>;

  constructor(named: Readonly<Record<string, JsonSchema>>) {
    this.#named = named;
  }

  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.resolve(this.#named[name] ?? {});
  }

  /** The least that the schema allows. */
  sample(given: JsonSchema): unknown {
    const schema = this.resolve(given);
    if (schema.examples) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const [choice] = schema.oneOf ?? schema.anyOf ?? [];
    if (choice) return this.sample(choice);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'object') {
      const required = (schema.required ?? []).map((name) => [
        name,
        this.sample(schema.properties?.[name] ?? {}),
      ]);
      return Object.fromEntries(required);
    }
    if (type === 'array') {
      return Array.from({ length: schema.minItems ?? 0 }, () => this.sample(schema.items ?? {}));
    }
    if (type === 'integer' || type === 'number') return Math.max(0, schema.minimum ?? 0);
    if (type === 'boolean') return true;
    if (type === 'null') return null;
    return sampleText(schema);
  }

  /** Mostly what the schema allows, with something in it now and then that it does not. */
  nearly(given: JsonSchema): fc.Arbitrary<unknown> {
    const schema = this.resolve(given);
    return fc.oneof(
      { weight: 8, arbitrary: this.#conforming(schema) },
      { weight: 1, arbitrary: naughtyValue },
    );
  }

  #conforming(schema: JsonSchema): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.nearly(choice)));
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => this.#conforming({ ...schema, type })));
    }
    switch (schema.type) {
      case 'object':
        return this.#object(schema);
      case 'array': {
        const max = Math.min(schema.maxItems ?? 5, (schema.minItems ?? 0) + 5);
        return fc.array(this.nearly(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: max });
      }
      case 'integer':
      case 'number':
        return number(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'string':
        return fc.oneof(fc.constant(sampleText(schema)), naughtyText(schema.maxLength ?? 50));
      default:
        return fc.jsonValue();
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<unknown> {
    const fields = Object.entries(properties).map(([name, field]) => {
      const value = this.nearly(field);
      const absent = { weight: required.includes(name) ? 1 : 12, arbitrary: fc.constant(undefined) };
      return [name, fc.oneof({ weight: required.includes(name) ? 20 : 8, arbitrary: value }, absent)];
    });
    const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    const extra = fc.oneof(
      { weight: isOpen ? 2 : 12, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.dictionary(naughtyText(100), naughtyValue, { maxKeys: 3 }) },
    );
    return fc.tuple(known, extra).map(([fields, more]) => ({ ...fields, ...more }));
  }
}

function sampleText({ format, minLength = 0, examples }: JsonSchema): string {
  if (examples) return String(examples[0]);
  if (format === 'uuid') return '01a1e1d5-de60-7d19-800b-34c5346a372f';
  if (format === 'date-time') return '2030-01-31T08:00:00Z';
  return 'x'.repeat(Math.max(1, minLength));
}

function number({ type, minimum = -1e6, maximum = 1e6 }: JsonSchema): fc.Arbitrary<number> {
  const limits = fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1);
  const least = Math.max(minimum, -(2 ** 31));
  const most = Math.min(maximum, 2 ** 31 - 1);
  const within =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(least), max: Math.floor(most) })
      : fc.double({ min: least, max: most, noNaN: true });
  return fc.oneof({ weight: 5, arbitrary: within }, { weight: 1, arbitrary: limits });
}

const nested = (levels: number) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
};

/** Wrong types, the edges of numbers, depth, length. */
export const naughtyValue: fc.Arbitrary<unknown> = fc.oneof(
  naughtyText(50),
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, true, 0, -0, -1, 0.1, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), '', ' ', [], {}),
  fc.constantFrom(31, 32, 33, 500).map(nested),
  fc.constantFrom(101, 2049, 100_000).map((length) => 'x'.repeat(length)),
  fc.constantFrom(100, 10_001).map((length) => Array.from({ length }, () => 0)),
);
