import type pg from 'pg';
import type { Logger } from 'pino';
import { hashWords } from '../../web/urls/hashes.ts';
import type { UrlRules } from '../../web/urls/url-rules.ts';
import { readVisited, type VisitedParts } from '../frontier/read-visited.ts';

/** About 20 MB of URLs of usual length. */
const maxUrls = 100_000;

/**
 * URLs that are certainly in the visited set, so that the checkpoint need not ask about them again (ADR 19). Recent
 * ones are kept as text, in two generations; many more as hashes. Bounded: the database has the rest.
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

  /** Hashes of 16 bytes, concatenated. */
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

/** 32 MB of address space; only written pages use memory. */
const slotBits = 21;
const slots = 2 ** slotBits;
/** Beyond this load, misses would take too many steps. */
export const maxHashes = 0.75 * slots;

/**
 * A set of up to 1.5 million 128-bit hashes in a tenth of the memory of a JavaScript set (ADR 19). Exact: all 128 bits are compared.
 * A full set ignores additions, so that memory does not grow with the crawl.
 */
export class HashSet {
  /** Four words for each slot; all zero in a free one. */
  readonly #words = new Uint32Array(4 * slots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(a: number, b: number, c: number, d: number): boolean {
    return !this.#isFree(this.#find(a, b, c, d));
  }

  add(a: number, b: number, c: number, d: number): void {
    if (this.#size >= maxHashes) return;
    const words = this.#words;
    const at = this.#find(a, b, c, d);
    if (!this.#isFree(at)) return;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    this.#size++;
  }

  /**
   * The slot of a hash, or the free slot where it belongs. Hashes are random, so their own bits say where to begin: the first bits,
   * so that sorted hashes are written next to each other.
   */
  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words;
    const last = words.length - 4;
    let at = (a >>> (32 - slotBits)) << 2;
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
}

interface RecallContext {
  readonly db: pg.Pool;
  readonly job: { readonly id: string };
  readonly known: KnownUrls;
  readonly log: Logger;
}

/**
 * Loads the known URLs of a resumed crawl in the background. Until then, and if loading fails, the checkpoint checks
 * the database.
 */
export async function recallUrls(
  { db, job, known, log }: RecallContext,
  parts: VisitedParts,
  isOver: () => boolean,
): Promise<void> {
  let recalled = 0;
  try {
    await readVisited(db, job.id, parts, (hashes) => {
      known.addHashes(hashes);
      recalled += hashes.length / 16;
      return !isOver() && recalled < maxHashes;
    });
  } catch (error) {
    log.debug({ err: error }, 'Could not load all known URLs of the crawl; checkpoints look them up instead');
  }
}
