import type { PageLink } from './extracted-page.ts';
import { limits } from './limits.ts';

const neverFetched = /^(?:#|javascript:|mailto:|tel:|data:|sms:|about:|blob:)/i;
const slash = 0x2f;

/** The page's links as written, each once; one followable occurrence makes a link followable. */
export class LinkCollector {
  readonly #links = new Map<string, { readonly href: string; nofollow: boolean }>();
  truncated = false;

  add(written: string, rel: string | undefined): void {
    const href = written.trim();
    if (href.charCodeAt(0) !== slash && (href === '' || neverFetched.test(href))) return;
    const nofollow = rel !== undefined && /\bnofollow\b/i.test(rel);
    const known = this.#links.get(href);
    if (known !== undefined) {
      if (!nofollow) known.nofollow = false;
    } else if (this.#links.size >= limits.links || href.length > limits.hrefLength) this.truncated = true;
    else this.#links.set(href, { href, nofollow });
  }

  result(): PageLink[] {
    return [...this.#links.values()];
  }
}
