import type { PageLink } from './extracted-page.ts';
import { limits } from './limits.ts';

const neverFetched = /^(?:#|javascript:|mailto:|tel:|data:|sms:|about:|blob:)/i;
const slash = 0x2f;

/** The page's links as written, each once; one followable occurrence makes a link followable. */
export class LinkCollector {
  readonly #links = new Map<string, { readonly href: string; nofollow: boolean }>();
  #beyondLimit = 0;
  #tooLong = 0;

  add(written: string, rel: string | undefined): void {
    const href = written.trim();
    if (href.charCodeAt(0) !== slash && (href === '' || neverFetched.test(href))) return;
    const nofollow = rel !== undefined && /\bnofollow\b/i.test(rel);
    const known = this.#links.get(href);
    if (known !== undefined) {
      if (!nofollow) known.nofollow = false;
    } else if (href.length > limits.hrefLength) this.#tooLong++;
    else if (this.#links.size >= limits.links) this.#beyondLimit++;
    else this.#links.set(href, { href, nofollow });
  }

  get leftOut(): Record<string, number> | undefined {
    if (this.#beyondLimit + this.#tooLong === 0) return undefined;
    return {
      ...(this.#beyondLimit > 0 && { page_limit: this.#beyondLimit }),
      ...(this.#tooLong > 0 && { unusable_url: this.#tooLong }),
    };
  }

  result(): PageLink[] {
    return [...this.#links.values()];
  }
}
