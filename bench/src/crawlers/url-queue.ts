/** URLs in the order in which they were found, each once. */
export class UrlQueue {
  readonly #known: Set<string>;
  readonly #urls: string[];
  #next = 0;

  constructor(first: string) {
    this.#known = new Set([first]);
    this.#urls = [first];
  }

  get size(): number {
    return this.#urls.length;
  }

  add(url: string): void {
    if (this.#known.has(url)) return;
    this.#known.add(url);
    this.#urls.push(url);
  }

  /** Calls `fetch` with every URL, so many at a time, until none is left and none is under way. */
  drain(concurrency: number, fetch: (url: string) => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let underWay = 0;
    const pump = () => {
      while (underWay < concurrency && this.#next < this.#urls.length) {
        underWay += 1;
        fetch(this.#urls[this.#next++] as string).then(over, reject);
      }
      if (underWay === 0) resolve();
    };
    const over = () => {
      underWay -= 1;
      pump();
    };
    pump();
    return promise;
  }
}
