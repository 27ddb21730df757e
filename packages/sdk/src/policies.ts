import { Listing } from './listing.ts';
import type { ListPoliciesQuery, NewPolicy, Policy, PolicyChange, RanPolicy } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Policies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a policy. Its first job starts at once, unless `next_run_at` is set. */
  create(policy: NewPolicy, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('createPolicy', { body: policy }, options);
  }

  /** Policies, newest first. */
  list(query: ListPoliciesQuery = {}, options?: CallOptions): Listing<Policy> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listPolicies', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('showPolicy', { path: { id } }, options);
  }

  /** Changes the given fields. Existing jobs are unchanged. */
  update(id: string, change: PolicyChange, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('changePolicy', { path: { id }, body: change, repeatable: true }, options);
  }

  /** Deletes a policy; its jobs and results stay. */
  delete(id: string, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('deletePolicy', { path: { id } }, options);
  }

  enable(id: string, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('enablePolicy', { path: { id }, repeatable: true }, options);
  }

  disable(id: string, options?: CallOptions): Promise<Policy> {
    return this.#transport.call('disablePolicy', { path: { id }, repeatable: true }, options);
  }

  /** Makes a policy due now. It has at most one live job, so repeating the call changes nothing. */
  run(id: string, options?: CallOptions): Promise<RanPolicy> {
    return this.#transport.call('runPolicy', { path: { id }, repeatable: true }, options);
  }
}
