const firstSlots = 1_024;
/** At most so full, or looking for what is not there takes too many steps. */
const fullness = 0.75;

/**
 * A set of 128-bit hashes, 16 bytes for each slot: a JavaScript set of the same as text takes ten times as much. Exact: all 128 bits
 * are compared.
 */
export class HashSet {
  /** Four words for each slot; all zero where nothing is. */
  #words = new Uint32Array(4 * firstSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(a: number, b: number, c: number, d: number): boolean {
    return !this.#isFree(this.#find(a, b, c, d));
  }

  add(a: number, b: number, c: number, d: number): void {
    const at = this.#find(a, b, c, d);
    if (!this.#isFree(at)) return;
    const words = this.#words;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    this.#size++;
    if (this.#size > (words.length / 4) * fullness) this.#grow();
  }

  /** Where the hash is, or the free slot where it belongs. Hashes are random: their own bits say where to begin. */
  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words;
    const last = words.length - 4;
    let at = (a << 2) & last;
    while (
      !this.#isFree(at) &&
      (words[at] !== a || words[at + 1] !== b || words[at + 2] !== c || words[at + 3] !== d)
    )
      at = (at + 4) & last;
    return at;
  }

  #isFree(at: number): boolean {
    const words = this.#words;
    return words[at] === 0 && words[at + 1] === 0 && words[at + 2] === 0 && words[at + 3] === 0;
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    this.#size = 0;
    for (let at = 0; at < old.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = [old[at], old[at + 1], old[at + 2], old[at + 3]];
      if (a !== 0 || b !== 0 || c !== 0 || d !== 0) this.add(a, b, c, d);
    }
  }
}
