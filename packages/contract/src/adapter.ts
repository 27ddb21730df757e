import { z } from 'zod';
import { currencyCode, priceTypes } from './money-fields.ts';
import { parseUrl } from './parse-url.ts';
import { text } from './text-fields.ts';

/**
 * How the prices of a source are asked for.
 * json    an HTTP API that answers in JSON
 * html    pages, read with CSS selectors
 * import  nothing is asked: people bring its price points as CSV or JSON
 * module  a file of the operator's own
 */
export const adapterTypes = ['json', 'html', 'import', 'module'] as const;
export type AdapterType = (typeof adapterTypes)[number];

/** Environment variables that an adapter may name begin so: no configuration can send another one anywhere. */
export const secretPrefix = 'HOLDFAST_SECRET_';

const placeholder = /\{([^{}]*)\}/g;
const knownPlaceholder = /^(env:HOLDFAST_SECRET_(?!KEY$)[A-Z0-9_]{1,100}|[A-Za-z_][\w-]{0,99})$/;

function badPlaceholder(template: string): string | undefined {
  for (const [, name = ''] of template.matchAll(placeholder)) if (!knownPlaceholder.test(name)) return name;
  return undefined;
}

const template = (max: number) =>
  text(max).refine(
    (value) => badPlaceholder(value) === undefined,
    `must have only placeholders such as {title} or {env:${secretPrefix}NAME}`,
  );

/** Where a request goes is the operator's word, never an item's: two items lead to the same origin. */
function hasFixedOrigin(value: string): boolean {
  const [one, other] = ['a', 'b'].map((filler) => parseUrl(value.replaceAll(placeholder, filler)));
  if (!one || !other) return false;
  const { protocol, origin, username, password } = one;
  return /^https?:$/.test(protocol) && username === '' && password === '' && origin === other.origin;
}

const urlTemplate = template(4000)
  .refine(hasFixedOrigin, 'must be an http or https URL with placeholders only after its host')
  .describe('{title}, {year} … are replaced by attributes of the intake, {query} by all of them as words')
  .meta({ examples: ['https://api.example.com/search?q={query}'] });

const headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header'),
    template(2000).regex(/^[^\r\n]*$/, 'must be one line'),
  )
  .refine((given) => Object.keys(given).length <= 30, 'must be at most 30')
  .describe(
    `sent with every request; {env:${secretPrefix}NAME} is replaced by an environment variable of the worker`,
  );

const oauth = z
  .strictObject({
    token_url: template(2000).refine(hasFixedOrigin, 'must be an http or https URL'),
    client_id: template(500),
    client_secret: template(500).regex(
      /^\{env:HOLDFAST_SECRET_(?!KEY\})[A-Z0-9_]+\}$/,
      `must name an environment variable, such as {env:${secretPrefix}EBAY}`,
    ),
    scope: text(2000).optional(),
    credentials: z
      .enum(['basic', 'body'])
      .default('basic')
      .describe('send the credentials in the Authorization header or in the form'),
  })
  .describe('OAuth client credentials (RFC 6749, 4.4); the token is reused until it expires');

/** `price.value`, `offers.0.price`: names and positions with dots between them. */
const path = text(300).regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be a path such as price.value');
const paths = z
  .union([path, z.array(path).min(1).max(10)])
  .describe('a path, or several paths to try in order');

const selector = text(500).describe('a CSS selector; append @name to read an attribute instead of the text');

const fields = <Place extends z.ZodType>(place: Place) => ({
  price: place,
  currency: place.optional(),
  price_type: place.optional().describe('field that says sold, ask or bid'),
  title: place.optional(),
  url: place.optional(),
  external_id: place.optional(),
  date: place.optional().describe('date of the listing or sale'),
  attributes: z.record(text(100), place).optional().describe('other attributes that the source provides'),
});

const maxPages = z.int().min(1).max(50).default(1).describe('maximum requests per collection');
const shared = {
  price_type: z.enum(priceTypes).default('ask').describe('used for listings that do not specify it'),
  currency: currencyCode.optional().describe('used for listings that do not specify it'),
  region: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two letters, such as US')
    .optional()
    .describe('region of the source; determines what $ and kr mean'),
  max_listings: z.int().min(1).max(2000).default(500),
  profile: text(100)
    .optional()
    .describe("profile to sign in with; that of the intake's owner with this name"),
};

export const jsonAdapter = z.strictObject({
  url: urlTemplate,
  headers: headers.default({}),
  oauth: oauth.optional(),
  items: path.optional().describe('path to the list of listings; default: the whole response'),
  fields: z.strictObject(fields(paths)),
  paging: z
    .strictObject({
      next: path.optional().describe('path to the URL of the next page'),
      parameter: text(100).optional().describe('query parameter with the number of the page or listing'),
      start: z.int().min(0).max(1_000_000).default(0),
      step: z.int().min(1).max(10_000).default(1),
    })
    .refine(
      ({ next, parameter }) => (next === undefined) !== (parameter === undefined),
      'must have either next or parameter',
    )
    .optional(),
  max_pages: maxPages,
  ...shared,
});

export const htmlAdapter = z.strictObject({
  url: urlTemplate,
  headers: headers.default({}),
  item: text(500).describe('CSS selector of each listing'),
  fields: z.strictObject(fields(selector)),
  next: selector.optional().describe('selector of the link to the next page, such as a.next@href'),
  max_pages: maxPages,
  ...shared,
});

export const importAdapter = z.strictObject({});

export const moduleAdapter = z.strictObject({
  file: text(100)
    .regex(/^[A-Za-z0-9_][\w.-]*\.m?js$/, 'must be the name of a .js or .mjs file in the folder of adapters')
    .describe('file name in the folder HOLDFAST_ADAPTERS'),
  options: z.record(text(100), z.unknown()).default({}).describe('passed to the module'),
  secrets: z
    .array(z.string().regex(/^HOLDFAST_SECRET_(?!KEY$)[A-Z0-9_]{1,100}$/, `must begin with ${secretPrefix}`))
    .max(20)
    .default([])
    .describe('environment variables that the module may read'),
  timeout_seconds: z.int().min(1).max(600).default(60),
  memory_mb: z.int().min(16).max(512).default(64),
  ...shared,
});

export const adapterConfigs = {
  json: jsonAdapter,
  html: htmlAdapter,
  import: importAdapter,
  module: moduleAdapter,
} as const satisfies Record<AdapterType, z.ZodType>;

export type JsonAdapterConfig = z.output<typeof jsonAdapter>;
export type HtmlAdapterConfig = z.output<typeof htmlAdapter>;
export type ModuleAdapterConfig = z.output<typeof moduleAdapter>;
