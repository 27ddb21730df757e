import { type ApiKey, allowsScope, HoldfastError, type KeyScope, seesEveryOwner } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';

/** Who calls, and what they may do. */
export interface Caller {
  readonly key: ApiKey;
  readonly userId: string;
  /** Not bound to jobs of its own. */
  readonly seesEveryOwner: boolean;
  /** Who the events of what it does name. */
  readonly actor: string;
}

export function callerOf(key: ApiKey): Caller {
  return {
    key,
    userId: key.user_id,
    seesEveryOwner: seesEveryOwner(key.scopes),
    actor: `user:${key.user_id}`,
  };
}

/** The owner to whose things the caller is bound; undefined: none. */
export function ownerOf({ seesEveryOwner, userId }: Caller): string | undefined {
  return seesEveryOwner ? undefined : userId;
}

/** The caller of a route that is not public. */
export function theCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new HoldfastError('key_missing');
  return request.caller;
}

export function requireScope({ key }: Caller, scope: KeyScope): void {
  if (!allowsScope(key.scopes, scope)) throw new HoldfastError('scope_missing', `it needs ${scope}`);
}
