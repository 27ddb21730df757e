/** Larger batches are no faster, and those below 100 are a third slower (bench/notes). */
const maxBatch = 500;
const fillMs = 50;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Full batches written at the same time: PostgreSQL works on one while the other commits. */
const maxWrites = 2;

/** Gathers single writes into batches. The next batch fills while the last one is written; callers are answered after the commit. */
export class Batcher<Item, Answer> {
  readonly #write: (items: Item[]) => Promise<(item: Item) => Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #timer: { cancel: () => void } | undefined;
  readonly #writing = new Set<Promise<void>>();

  readonly #fillMs: number;

  /**
   * `write` commits a batch and returns a function that gives each item's outcome. `fill`: how many ms a batch may wait; 0 writes
   * whatever arrived in one turn of the event loop.
   */
  constructor(write: (items: Item[]) => Promise<(item: Item) => Answer>, fill = fillMs) {
    this.#write = write;
    this.#fillMs = fill;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length >= maxBatch) this.#flush();
      else this.#timer ??= this.#later();
    });
  }

  /** Writes everything that waits; resolves when nothing is left. */
  async drain(): Promise<void> {
    while (this.#writing.size > 0 || this.#waiting.length > 0) {
      this.#flush();
      await Promise.all(this.#writing);
    }
  }

  #later(): { cancel: () => void } {
    if (this.#fillMs > 0) {
      const timer = setTimeout(() => this.#flush(), this.#fillMs);
      return { cancel: () => clearTimeout(timer) };
    }
    const immediate = setImmediate(() => this.#flush());
    return { cancel: () => clearImmediate(immediate) };
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const mayWrite = this.#waiting.length < maxBatch ? 1 : maxWrites;
    if (this.#writing.size >= mayWrite || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, maxBatch);
    const writing = this.#writeBatch(batch).finally(() => {
      this.#writing.delete(writing);
      if (this.#waiting.length >= maxBatch) this.#flush();
      else if (this.#waiting.length > 0) this.#timer ??= this.#later();
    });
    this.#writing.add(writing);
  }

  async #writeBatch(batch: Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answerOf = await this.#write(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(answerOf(item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
