import { Listing } from './listing.ts';
import type { ListProfilesQuery, Profile, ProfileReplacement, ProfileRequest } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Named sign-ins: headers, cookies, passwords. Their values are never returned. */
export class Profiles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(profile: ProfileRequest, options?: CallOptions): Promise<Profile> {
    return this.#transport.call('createProfile', { body: profile }, options);
  }

  /** Your profiles, by name. */
  list(query: ListProfilesQuery = {}, options?: CallOptions): Listing<Profile> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listProfiles', { query: { ...query, cursor } }, options),
    );
  }

  get(name: string, options?: CallOptions): Promise<Profile> {
    return this.#transport.call('showProfile', { path: { name } }, options);
  }

  /** Replaces all values of a profile. Running jobs use them from the next request on. */
  replace(name: string, profile: ProfileReplacement, options?: CallOptions): Promise<Profile> {
    return this.#transport.call(
      'replaceProfile',
      { path: { name }, body: profile, repeatable: true },
      options,
    );
  }

  delete(name: string, options?: CallOptions): Promise<Profile> {
    return this.#transport.call('deleteProfile', { path: { name } }, options);
  }
}
