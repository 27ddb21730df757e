import { openSources } from '../sources/open-sources.ts';
import type { DatabaseLink } from './database-link.ts';
import { GovernedSource, type SourceOptions } from './governed-source.ts';

const againMs = 1_000;
const maxBatch = 500;

type Waiting = (source: GovernedSource) => void;

/** The sources of the hosts in use. Hosts that are needed at the same time are looked up together. */
export class SourceDirectory {
  readonly #link: DatabaseLink;
  readonly #options: SourceOptions;
  readonly #sources = new Map<string, GovernedSource>();
  readonly #hosts = new Map<string, GovernedSource>();
  readonly #wanted = new Map<string, Waiting[]>();
  #timer: NodeJS.Timeout | undefined;
  #loading = false;
  #closed = false;

  constructor(options: SourceOptions) {
    this.#link = options.link;
    this.#options = options;
  }

  get sources(): ReadonlyMap<string, GovernedSource> {
    return this.#sources;
  }

  find(host: string): GovernedSource | undefined {
    return this.#hosts.get(host);
  }

  load(host: string, onLoaded: Waiting): void {
    const waiting = this.#wanted.get(host);
    if (waiting) waiting.push(onLoaded);
    else this.#wanted.set(host, [onLoaded]);
    this.#loadIn(0);
  }

  /** Looks all hosts up again, because an operator may have configured a source for them. Returns the hosts that moved. */
  async refresh(): Promise<string[]> {
    const hosts = [...this.#hosts.keys()];
    const moved: string[] = [];
    for (let from = 0; from < hosts.length; from += maxBatch) {
      const heard = await this.#link.ask((db) => openSources(db, hosts.slice(from, from + maxBatch)));
      for (const { host, source_id } of heard?.rows ?? []) {
        if (this.#hosts.get(host)?.id === source_id) continue;
        this.#hosts.delete(host);
        moved.push(host);
      }
    }
    return moved;
  }

  /** Drops sources without seats, so that memory follows use. */
  async dropUnused(): Promise<void> {
    for (const [host, source] of this.#hosts) if (isUnused(source)) this.#hosts.delete(host);
    const unused = [...this.#sources.values()].filter(isUnused);
    for (const { id } of unused) this.#sources.delete(id);
    await Promise.all(unused.map((source) => source.close()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
  }

  #loadIn(ms: number): void {
    if (!this.#closed && !this.#loading) this.#timer ??= setTimeout(() => void this.#loadWanted(), ms);
  }

  async #loadWanted(): Promise<void> {
    this.#timer = undefined;
    this.#loading = true;
    const hosts = [...this.#wanted.keys()].slice(0, maxBatch);
    const heard = await this.#link.ask((db) => openSources(db, hosts));
    this.#loading = false;
    for (const { host, ...state } of heard?.rows ?? []) {
      const source = this.#sources.get(state.source_id) ?? new GovernedSource(state, this.#options);
      this.#sources.set(source.id, source);
      this.#hosts.set(host, source);
      const waiting = this.#wanted.get(host) ?? [];
      this.#wanted.delete(host);
      for (const onLoaded of waiting) onLoaded(source);
    }
    if (this.#wanted.size > 0) this.#loadIn(heard ? 0 : againMs);
  }
}

function isUnused(source: GovernedSource): boolean {
  return source.seats.size === 0 && !source.reporting;
}
