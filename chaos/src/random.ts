/** Numbers that follow from a seed alone (mulberry32), so that a failing plan can be played again. */
export class Random {
  #state: number;

  constructor(seed: number, ...parts: (number | string)[]) {
    this.#state = seed >>> 0;
    for (const part of parts)
      for (const character of String(part))
        this.#state = (Math.imul(this.#state, 31) + character.charCodeAt(0)) >>> 0;
    this.next();
  }

  /** From 0 up to, and not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  isTrue(chance: number): boolean {
    return this.next() < chance;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
