import type { Caller } from '../caller.ts';

/** The owner to whose webhooks the caller is bound; undefined: none. */
export function ownerOf({ seesEveryOwner, userId }: Caller): string | undefined {
  return seesEveryOwner ? undefined : userId;
}
