import { HoldfastError } from '@holdfast/contract';
import { z } from 'zod';

/** Resources with UUIDs as ids, and the command that lists them. */
const kinds = {
  job_not_found: ['job', 'jobs'],
  key_not_found: ['API key', 'keys'],
  policy_not_found: ['policy', 'policies'],
  intake_not_found: ['intake', 'intakes'],
  webhook_not_found: ['webhook', 'webhooks'],
} as const;

export function isId(id: string): boolean {
  return z.uuid().safeParse(id).success;
}

/** The error of an unknown id. If it is not a UUID, the hint says what an id looks like. */
export function notFound(code: keyof typeof kinds, id: string): HoldfastError {
  if (isId(id)) return new HoldfastError(code, id);
  const [noun, command] = kinds[code];
  const article = /^[aeiouA]/.test(noun) ? 'an' : 'a';
  const hint = `The id of ${article} ${noun} is a UUID. See them with \`holdfast ${command} list\`.`;
  return new HoldfastError(code, id, { hint });
}

/** The smallest id that a row created at that time can have: ids are UUIDs of version 7, which begin with their time. */
export function idAt(time: string, slackMs = 0): string {
  const ms = Math.min(Math.max(Date.parse(time) + slackMs, 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
