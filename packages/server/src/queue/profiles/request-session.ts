import { HoldfastError } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import type { RenderRequest } from '../../browser/render-request.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import { CookieBox } from '../../web/cookies/cookie-box.ts';
import type { FetchRequest, FetchResponse, SessionOfRequests } from '../../web/fetch/fetcher.ts';
import { asksToSignIn, findSignInForm } from '../../web/html/sign-in-form.ts';
import { type ProfileReference, ProfileSession } from './profile-session.ts';

export interface SessionFields extends ProfileReference {
  readonly accept_language?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What the requests of a visit or a collection carry: cookies of its own, and the values of a profile for its origins. */
export class RequestSession implements SessionOfRequests {
  readonly #fields: SessionFields;
  readonly #profile: ProfileSession | undefined;
  /** Apart, so that nothing that belongs to the sign-in goes to other origins. */
  readonly #plain = new CookieBox();
  readonly #signedIn = new CookieBox();

  /** Throws `profile_not_found`, or `secret_key_missing`. */
  static async open(
    db: Queryable,
    store: SecretStore,
    jobId: string,
    fields: SessionFields,
  ): Promise<RequestSession> {
    const isNamed = fields.profile !== undefined || fields.unnamed_profile !== undefined;
    return new RequestSession(
      fields,
      isNamed ? await ProfileSession.open(db, store, jobId, fields) : undefined,
    );
  }

  private constructor(fields: SessionFields, profile: ProfileSession | undefined) {
    this.#fields = fields;
    this.#profile = profile;
  }

  async prepare(url: string): Promise<Pick<FetchRequest, 'acceptLanguage' | 'headers'>> {
    const { accept_language: acceptLanguage, headers } = this.#fields;
    const profile = await this.#profileFor(url);
    if (!profile) {
      const cookie = this.#plain.header(url);
      return { acceptLanguage, headers: { ...headers, ...(cookie && { cookie }) } };
    }
    const shared = profile.cookies(url);
    const names = new Set(shared.map(({ name }) => name));
    const own = this.#signedIn.of(url).filter(({ name }) => !names.has(name));
    const cookie = [...shared, ...own].map(({ name, value }) => `${name}=${value}`).join('; ');
    return { acceptLanguage, headers: { ...headers, ...profile.headers, ...(cookie && { cookie }) } };
  }

  /** Throws `sign_in_expired` if the answer asks to sign in. */
  async receive(url: string, response: FetchResponse): Promise<void> {
    const { setCookies = [] } = response;
    const profile = this.#profile?.covers(url) ? this.#profile : undefined;
    if (!profile) {
      this.#plain.receive(url, setCookies);
      return;
    }
    const why = asksToSignIn(url, response) ?? (isSignInPage(response) ? 'a page to sign in' : undefined);
    if (why !== undefined) throw new HoldfastError('sign_in_expired', `${url} answered with ${why}`);
    if (response.status >= 400 || setCookies.length === 0) return;
    await profile.renew(url, setCookies);
    this.#signedIn.receive(url, setCookies);
  }

  async forBrowser(url: string): Promise<Pick<RenderRequest, 'acceptLanguage' | 'cookies' | 'secrets'>> {
    const { accept_language: acceptLanguage } = this.#fields;
    const profile = await this.#profileFor(url);
    if (!profile) return { acceptLanguage, cookies: this.#plain.of(url) };
    const { origins, headers, allCookies } = profile;
    return {
      acceptLanguage,
      secrets: { origins, headers, cookies: [...this.#signedIn.all(), ...allCookies] },
    };
  }

  async #profileFor(url: string): Promise<ProfileSession | undefined> {
    if (!this.#profile?.covers(url)) return undefined;
    await this.#profile.refresh();
    return this.#profile;
  }
}

/** A single page cannot be compared with others: it has to say what it is, and have nothing else. */
function isSignInPage({ status, body, contentType, url }: FetchResponse): boolean {
  if (status !== 200 || !body || !/html/i.test(contentType ?? 'html')) return false;
  const form = findSignInForm(decodeHtml(body, contentType).text, url);
  return form?.isNamed === true && form.isBare;
}
