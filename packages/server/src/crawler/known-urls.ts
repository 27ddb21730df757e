import { HashSet } from './hash-set.ts';

/** About 20 MB of URLs of the usual length. */
const maxUrls = 100_000;
/** Each of two generations takes 16 MB then. */
export const maxHashes = 1_500_000;

/**
 * URLs that are certainly in the visited set already, so that the checkpoint need not ask about them again (measured: 4 µs a
 * link against 32, on both sides of the connection). Those met of late are known as they are, which costs a look; many more by
 * their hashes. Bounded, in two generations: what it forgets, the database still knows.
 */
export class KnownUrls {
  #young = new Set<string>();
  #old = new Set<string>();
  #youngHashes = new HashSet();
  #oldHashes = new HashSet();

  has(url: string): boolean {
    return this.#young.has(url) || this.#old.has(url);
  }

  /** For a URL that `has` does not know. */
  hasHash(url: string, hash: string): boolean {
    const [a, b, c, d] = wordsOf(hash);
    if (!this.#youngHashes.has(a, b, c, d) && !this.#oldHashes.has(a, b, c, d)) return false;
    this.#remember(url);
    return true;
  }

  add(url: string, hash: string): void {
    this.#remember(url);
    this.#rememberHash(...wordsOf(hash));
  }

  /** Hashes of 16 bytes, one behind the other. */
  addHashes(hashes: Buffer): void {
    for (let at = 0; at < hashes.length; at += 16)
      this.#rememberHash(
        hashes.readUInt32BE(at),
        hashes.readUInt32BE(at + 4),
        hashes.readUInt32BE(at + 8),
        hashes.readUInt32BE(at + 12),
      );
  }

  #remember(url: string): void {
    this.#young.add(url);
    if (this.#young.size < maxUrls / 2) return;
    this.#old = this.#young;
    this.#young = new Set();
  }

  #rememberHash(a: number, b: number, c: number, d: number): void {
    this.#youngHashes.add(a, b, c, d);
    if (this.#youngHashes.size < maxHashes / 2) return;
    this.#oldHashes = this.#youngHashes;
    this.#youngHashes = new HashSet();
  }
}

/** The 128 bits of a hash that is written as a uuid. */
function wordsOf(hash: string): [number, number, number, number] {
  return [
    Number.parseInt(hash.slice(0, 8), 16),
    Number.parseInt(hash.slice(9, 13) + hash.slice(14, 18), 16),
    Number.parseInt(hash.slice(19, 23) + hash.slice(24, 28), 16),
    Number.parseInt(hash.slice(28, 36), 16),
  ];
}
