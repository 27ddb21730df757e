import {
  type ApiKey,
  allowsScope,
  HoldfastError,
  type Job,
  type KeyScope,
  seesEveryOwner,
} from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import type { Queryable } from '../base/database/statement.ts';
import { showJob } from '../queue/jobs/find-jobs.ts';

export interface Caller {
  readonly key: ApiKey;
  readonly userId: string;
  /** May see the jobs of other owners. */
  readonly seesEveryOwner: boolean;
  /** Named in events. */
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

/** The only owner that the caller may see; undefined: all. */
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

/** Like ownerOf, but refuses a caller who asks for another owner, instead of finding nothing. */
export function ownerBound(
  { seesEveryOwner, userId }: Caller,
  { user_id }: { readonly user_id?: string | undefined },
  things = 'jobs',
): string | undefined {
  if (seesEveryOwner) return undefined;
  if (user_id !== undefined && user_id !== userId) {
    throw new HoldfastError('scope_missing', `it needs operate to see ${things} of other owners`);
  }
  return userId;
}

/** The job, if the caller may see it. A job of another owner is not found, so that ids reveal nothing. */
export async function visibleJob(db: Queryable, caller: Caller, id: string): Promise<Job> {
  const job = await showJob(db, id);
  if (!caller.seesEveryOwner && job.user_id !== caller.userId) throw new HoldfastError('job_not_found', id);
  return job;
}
