import fc from 'fast-check';
import { naughtyByFormat, naughtyText } from './naughty-text.ts';

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

  /** What the schema allows, with texts that few expect. */
  allowed(given: JsonSchema): fc.Arbitrary<unknown> {
    return this.#values(this.resolve(given), (inner) => this.allowed(inner), true);
  }

  /** Mostly what the schema allows, with something in it now and then that it does not. */
  nearly(given: JsonSchema): fc.Arbitrary<unknown> {
    const values = this.#values(this.resolve(given), (inner) => this.nearly(inner), false);
    return fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: naughtyValue });
  }

  #values(
    schema: JsonSchema,
    inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
    strict: boolean,
  ): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map(inner));
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => this.#values({ ...schema, type }, inner, strict)));
    }
    switch (schema.type) {
      case 'object':
        return objects(schema, inner, strict);
      case 'array': {
        const max = Math.min(schema.maxItems ?? 5, (schema.minItems ?? 0) + 5);
        return fc.array(inner(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: max });
      }
      case 'integer':
      case 'number':
        return strict
          ? numbersWithin(schema)
          : fc.oneof({ weight: 5, arbitrary: numbersWithin(schema) }, edges(schema));
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'string':
        return texts(schema, strict);
      default:
        return strict ? fc.jsonValue({ maxDepth: 3 }).map(storable) : fc.jsonValue();
    }
  }
}

function objects(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
  strict: boolean,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => {
    const needed = required.includes(name);
    if (needed && strict) return [name, inner(field)];
    const absent = { weight: needed ? 1 : 12, arbitrary: fc.constant(undefined) };
    return [name, fc.oneof({ weight: needed ? 20 : 8, arbitrary: inner(field) }, absent)];
  });
  const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
  if (strict) return known;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const extra = fc.oneof(
    { weight: isOpen ? 2 : 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(naughtyText(100), naughtyValue, { maxKeys: 3 }) },
  );
  return fc.tuple(known, extra).map(([given, more]) => ({ ...given, ...more }));
}

function texts(schema: JsonSchema, strict: boolean): fc.Arbitrary<string> {
  const { format, minLength = 0, maxLength = 50 } = schema;
  const sample = fc.constant(sampleText(schema));
  const special = naughtyByFormat[format ?? ''];
  if (!strict && special) return fc.oneof(sample, fc.constantFrom(...special), naughtyText(maxLength));
  if (!strict) return fc.oneof(sample, naughtyText(maxLength));
  if (format) return sample;
  const fitting = naughtyText(maxLength)
    .map((text) => storable(text).slice(0, maxLength).toWellFormed())
    .filter((text) => text.length >= minLength);
  return fc.oneof(sample, fitting);
}

/** Without what every text is refused for: that is tried often enough. */
function storable<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ''), (_key, inner) =>
    typeof inner === 'string' ? inner.toWellFormed() : inner,
  );
}

function sampleText({ format, minLength = 0, examples }: JsonSchema): string {
  if (examples) return String(examples[0]);
  if (format === 'uuid') return '01a1e1d5-de60-7d19-800b-34c5346a372f';
  if (format === 'date-time') return '2030-01-31T08:00:00Z';
  return 'x'.repeat(Math.max(1, minLength));
}

function numbersWithin({ type, minimum = -1e6, maximum = 1e6 }: JsonSchema): fc.Arbitrary<number> {
  const min = Math.max(minimum, -(2 ** 31));
  const max = Math.min(maximum, 2 ** 31 - 1);
  return type === 'integer'
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true });
}

function edges({ minimum = -1e6, maximum = 1e6 }: JsonSchema): fc.Arbitrary<number> {
  return fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1);
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
