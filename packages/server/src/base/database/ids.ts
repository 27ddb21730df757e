import { HoldfastError } from '@holdfast/contract';
import { z } from 'zod';

/** What is known by a UUID, and the command that lists it. */
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

/** There is no such thing; and where the id is none, what one looks like. */
export function notFound(code: keyof typeof kinds, id: string): HoldfastError {
  if (isId(id)) return new HoldfastError(code, id);
  const [noun, command] = kinds[code];
  const article = /^[aeiouA]/.test(noun) ? 'an' : 'a';
  const hint = `The id of ${article} ${noun} is a UUID. See them with \`holdfast ${command} list\`.`;
  return new HoldfastError(code, id, { hint });
}
