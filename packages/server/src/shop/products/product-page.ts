import type { MicrodataItem } from '../../web/html/extracted-page.ts';
import type { PageHead } from '../../web/html/page-head.ts';
import type { Tape } from '../../web/html/tape/tape.ts';

/** A product page, read once: what it declares, and its elements and texts in order. */
export interface ProductPage {
  readonly url: string;
  readonly resolve: (href: string) => string | null;
  readonly head: PageHead;
  readonly title: string | null;
  readonly jsonLd: readonly object[];
  readonly microdata: readonly MicrodataItem[];
  readonly tape: Tape;
  /** By node: name hints. */
  readonly names: Int32Array;
  /** By node: flags of the node itself and, once spread, of those around it. */
  readonly flags: Int32Array;
  /** Texts in attributes, where an element has one that counts: `data-price`, `aria-label`, a button's `value`. */
  readonly values: ReadonlyMap<number, string>;
  /** Selectors of the elements whose names say something. */
  readonly labels: ReadonlyMap<number, string>;
}

export const flag = {
  /** Within `<del>`, `<s>` or a style that strikes through. */
  struck: 1,
  hidden: 2,
  /** Within a link that leads to another page. */
  linked: 4,
  /** Within navigation, a footer, a list of other products. */
  elsewhere: 8,
  /** Around the product's name. */
  aroundTitle: 16,
  button: 32,
  disabled: 64,
} as const;
