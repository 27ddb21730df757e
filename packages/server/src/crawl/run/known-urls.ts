import { hashWords } from '../../web/urls/url-hash.ts';
import type { UrlRules } from '../../web/urls/url-rules.ts';
import { HashSet } from './hash-set.ts';

/** About 20 MB of URLs of the usual length. */
const maxUrls = 100_000;

/**
 * URLs that are certainly in the visited set already, so that the checkpoint need not ask about them again (measured: 30 µs a
 * link on both sides of the connection). Those met of late are known as they are, which costs a look, in two
 * generations; many more by their hashes. Bounded: what it does not know, the database does.
 */
export class KnownUrls {
  #young = new Set<string>();
  #old = new Set<string>();
  readonly #hashes = new HashSet();
  readonly #identity: UrlRules['identity'];

  constructor(identity: UrlRules['identity'] = (url) => url) {
    this.#identity = identity;
  }

  has(url: string): boolean {
    return this.#young.has(url) || this.#old.has(url);
  }

  /** For a URL that `has` does not know. */
  hasHash(url: string): boolean {
    if (!this.#hashes.has(...hashWords(this.#identity(url)))) return false;
    this.#remember(url);
    return true;
  }

  add(url: string): void {
    this.#remember(url);
    this.#hashes.add(...hashWords(this.#identity(url)));
  }

  /** Hashes of 16 bytes, one behind the other. */
  addHashes(hashes: Buffer): void {
    const words = new DataView(hashes.buffer, hashes.byteOffset, hashes.length);
    for (let at = 0; at < hashes.length; at += 16)
      this.#hashes.add(
        words.getUint32(at),
        words.getUint32(at + 4),
        words.getUint32(at + 8),
        words.getUint32(at + 12),
      );
  }

  #remember(url: string): void {
    this.#young.add(url);
    if (this.#young.size < maxUrls / 2) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
