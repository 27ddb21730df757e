import { LruMap } from '../../base/collections/lru-map.ts';
import { maxRedirects } from '../../web/fetch/max-redirects.ts';

/** A loop is closed within moments of its first redirect. */
const maxKept = 4_000;

/**
 * The redirects of a run, to tell one that closes a loop: every URL is fetched once, so that no count of redirects would
 * ever end it. Whichever of a loop is fetched last finds the others here.
 */
export class RedirectTrail {
  readonly #targets = new LruMap<string>(maxKept);

  add(from: string, to: string): void {
    this.#targets.set(from, to);
  }

  /** Whether the redirects from there lead to this URL; at once, when they are the same. */
  leads(from: string, to: string): boolean {
    let at: string | undefined = from;
    for (let hops = 0; at !== undefined && hops <= maxRedirects; hops++) {
      if (at === to) return true;
      at = this.#targets.get(at);
    }
    return false;
  }
}
