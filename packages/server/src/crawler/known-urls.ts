/** About 20 MB of URLs of the usual length. */
const maxKnown = 100_000;

/**
 * URLs that are certainly in the visited set already, so that the checkpoint need not ask about them again (measured:
 * 0.06 ms a page against 0.48). Bounded: what it forgets, the database still knows.
 */
export class KnownUrls {
  #young = new Set<string>();
  #old = new Set<string>();

  has(url: string): boolean {
    return this.#young.has(url) || this.#old.has(url);
  }

  add(url: string): void {
    this.#young.add(url);
    if (this.#young.size < maxKnown / 2) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
