import { LruMap } from '../../base/collections/lru-map.ts';
import type { SignInForm } from '../../web/html/sign-in-form.ts';
import { shaUuid } from '../../web/urls/hashes.ts';

/** expired: a sign-in page in the place of the page; unsure: it looks like one, and another page has to tell. */
export type SignInVerdict = 'content' | 'unsure' | 'expired';

const enough = 4;
const suspicious = 2;

/** Pages of one origin seen so far. */
interface Origin {
  /** Pages without a sign-in form. */
  clean: number;
  /** Texts of pages with such a form, and a URL of each. */
  readonly forms: LruMap<string>;
}

/**
 * Distinguishes a sign-in page from a page with a login box. A form alone is weak evidence: it must dominate the page,
 * be the same at different URLs, or be new on a site whose pages had none. If pages with different text have the form,
 * it is a login box.
 */
export class SignInJudge {
  readonly #origins = new LruMap<Origin>(1_000);

  judge(url: string, form: SignInForm | undefined): SignInVerdict {
    const { origin } = new URL(url);
    const known = this.#origins.get(origin) ?? { clean: 0, forms: new LruMap<string>(1_000) };
    this.#origins.set(origin, known);
    if (!form) {
      known.clean++;
      return 'content';
    }
    const text = shaUuid(form.text);
    const first = known.forms.get(text);
    const isFirst = known.clean + known.forms.size === 0;
    known.forms.set(text, first ?? url);
    const score =
      (form.isNamed ? 2 : 0) +
      (form.isForSigningIn ? 1 : 0) +
      (form.leadsBack ? 1 : 0) +
      (form.isBare ? 1 : 0) +
      (first !== undefined && first !== url ? 3 : 0) +
      (known.clean > 0 && known.forms.size < 3 ? 2 : 0) -
      (known.forms.size > 2 ? 3 : 0);
    if (score >= enough) return 'expired';
    return isFirst && form.isBare && score >= suspicious ? 'unsure' : 'content';
  }
}
