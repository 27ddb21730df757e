import type { ApiKey } from '@holdfast/contract';

const columns = [
  'id',
  'prefix',
  'name',
  'user_id',
  'scopes',
  'bot_id',
  'max_live_jobs',
  'max_jobs_per_day',
  'max_requests_per_minute',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const satisfies (keyof ApiKey)[];

/** The columns of an ApiKey. The driver does not know the array of an enum, so scopes are read as text. */
export const keyColumns = columns
  .map((column) => (column === 'scopes' ? 'scopes::text[] AS scopes' : column))
  .join(', ');
