interface Entry<Value> {
  readonly key: string;
  value: Value;
  newer: Entry<Value> | undefined;
  older: Entry<Value> | undefined;
}

/**
 * A map of bounded size that drops the least recently used entry, so that no site can fill the memory. The entries are a
 * linked list: reordering a Map by deleting and adding keys leaves gaps, and finding its first key then walks over them all.
 */
export class LruMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #limit: number;
  #newest: Entry<Value> | undefined;
  #oldest: Entry<Value> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#renew(entry);
    return entry.value;
  }

  /** Does not count as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.#renew(known);
      return;
    }
    const entry = { key, value, newer: undefined, older: undefined };
    this.#entries.set(key, entry);
    this.#link(entry);
    if (this.#entries.size > this.#limit && this.#oldest) this.delete(this.#oldest.key);
  }

  getOrAdd(key: string, create: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create();
    this.set(key, value);
    return value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  #renew(entry: Entry<Value>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  #link(entry: Entry<Value>): void {
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: Entry<Value>): void {
    const { newer, older } = entry;
    if (newer) newer.older = older;
    else this.#newest = older;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
