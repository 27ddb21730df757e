import { Listing } from './listing.ts';
import type { Calls, ListSourcesQuery, Source, SourcePreferences, SourceSettings } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Sources {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: ListSourcesQuery = {}, options?: CallOptions): Listing<Source> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listSources', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<Source> {
    return this.#transport.call('showSource', { path: { id } }, options);
  }

  /** What its robots.txt says about the use of its content. */
  preferences(id: string, options?: CallOptions): Promise<SourcePreferences> {
    return this.#transport.call('listSourcePreferences', { path: { id } }, options);
  }

  /** Creates a source, or changes the given fields. */
  configure(id: string, settings: SourceSettings, options?: CallOptions): Promise<Source> {
    return this.#transport.call(
      'configureSource',
      { path: { id }, body: settings, repeatable: true },
      options,
    );
  }

  /** Changes the given fields of an existing source. */
  update(id: string, settings: SourceSettings, options?: CallOptions): Promise<Source> {
    return this.#transport.call('changeSource', { path: { id }, body: settings, repeatable: true }, options);
  }

  /** Pauses a source for some seconds or until it is resumed. */
  pause(id: string, body: Calls['pauseSource']['body'] = {}, options?: CallOptions): Promise<Source> {
    return this.#transport.call('pauseSource', { path: { id }, body, repeatable: true }, options);
  }

  resume(id: string, options?: CallOptions): Promise<Source> {
    return this.#transport.call('resumeSource', { path: { id }, repeatable: true }, options);
  }
}
