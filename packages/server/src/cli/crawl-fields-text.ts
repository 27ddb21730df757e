import { crawlOptions } from '@holdfast/contract';
import { z } from 'zod';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

/** The fields of a crawl's payload, as the contract has them. */
export function crawlFieldsText(): string {
  const { properties = {} } = z.toJSONSchema(crawlOptions, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(properties as Record<string, Field>).filter(([name]) => name !== 'url');
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.map(([name, field]) => `  ${name.padEnd(width)}  ${factsOf(field)}`);
  return `\nFields of the payload of a crawl, beside the url:\n${lines.join('\n')}`;
}

function factsOf({ type, description, enum: choices, default: standard }: Field): string {
  const isSet = standard !== undefined && JSON.stringify(standard) !== '[]';
  return [
    description ?? choices?.join(', ') ?? type,
    isSet && `(default: ${typeof standard === 'string' ? standard : JSON.stringify(standard)})`,
  ]
    .filter(Boolean)
    .join(' ');
}
