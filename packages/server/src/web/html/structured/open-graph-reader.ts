import { ownText } from '../../urls/own-text.ts';
import type { OpenGraph } from '../extracted-page.ts';
import { limits } from '../limits.ts';

const namespaces: ReadonlyMap<string, string> = new Map([
  ['og', 'http://ogp.me/ns#'],
  ['music', 'http://ogp.me/ns/music#'],
  ['video', 'http://ogp.me/ns/video#'],
  ['article', 'http://ogp.me/ns/article#'],
  ['book', 'http://ogp.me/ns/book#'],
  ['profile', 'http://ogp.me/ns/profile#'],
  // In no standard, but on one in ten product pages.
  ['product', 'http://ogp.me/ns/product#'],
]);

/** Gathers `<meta property content>` of the namespaces of OpenGraph and of those that the page declares. */
export class OpenGraphReader {
  readonly #namespace = new Map<string, string>();
  readonly #properties: [string, string][] = [];
  /** `<meta name="og:…">` is a common mistake: good for a description, but not OpenGraph. */
  readonly #named = new Map<string, string>();

  prefixes(declaration: string | undefined): void {
    for (const [, prefix, uri] of declaration?.matchAll(/(\w+):\s*(\S+)/g) ?? [])
      if (prefix && uri && !this.#namespace.has(prefix)) this.#namespace.set(ownText(prefix), ownText(uri));
  }

  add(property: string, content: string): void {
    if (this.#properties.length >= limits.openGraphProperties) return;
    const prefix = property.slice(0, Math.max(0, property.indexOf(':')));
    const standard = namespaces.get(prefix);
    if (standard !== undefined) this.#namespace.set(prefix, standard);
    if (this.#namespace.has(prefix)) this.#properties.push([ownText(property), content]);
  }

  remember(name: string, content: string): void {
    if (!this.#named.has(name)) this.#named.set(name, content);
  }

  first(property: string): string | undefined {
    return this.#properties.find(([name]) => name === property)?.[1] ?? this.#named.get(property);
  }

  result(): OpenGraph | null {
    if (this.#properties.length === 0) return null;
    return { namespace: Object.fromEntries(this.#namespace), properties: this.#properties };
  }
}
