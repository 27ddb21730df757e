import type { CrawlOptions } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { isTransient } from '../../base/database/transient-errors.ts';
import { seal, unseal } from '../../base/secrets/seal.ts';
import type { SecretKey, SecretKeys } from '../../base/secrets/secret-keys.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import type { RenderRequest } from '../../browser/render-request.ts';
import { ProfileSession } from '../../queue/profiles/profile-session.ts';
import type { FetchRequest, FetchResponse } from '../../web/fetch/fetcher.ts';
import { type CookieRow, type CookieWrapping, plainWrapping, StoredCookies } from './stored-cookies.ts';

/** The cookies and headers of a request, and the versions they are based on. */
export interface Carried {
  readonly request: Pick<FetchRequest, 'accept' | 'acceptLanguage' | 'headers'>;
  /** The version of the profile used; null: none. */
  readonly profile: string | null;
}

/** The part of a request to the browser that has to do with who asks. */
type BrowserMeans = Pick<RenderRequest, 'acceptLanguage' | 'cookies' | 'secrets'>;

export const nothingCarried: Carried = { request: {}, profile: null };

export interface CrawlSessionOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly job: { readonly id: string };
  readonly options: CrawlOptions;
  readonly secrets: SecretStore;
  /** Cookies may have been stored by an earlier run. */
  readonly isResumed: boolean;
}

/**
 * Cookies, extra headers and profile values of a crawl's requests. The profile's origins have a separate cookie jar, so
 * that cookies of a signed-in session are sent nowhere else.
 */
export class CrawlSession {
  readonly #log: Logger;
  readonly #plain: StoredCookies | undefined;
  readonly #signedIn: StoredCookies | undefined;
  readonly #everywhere: Carried['request'];
  readonly profile: ProfileSession | undefined;

  /** Throws `profile_not_found`, or `secret_key_missing`. */
  static async open(given: CrawlSessionOptions): Promise<CrawlSession> {
    const { db, secrets, job, options } = given;
    const isSignedIn = options.profile !== undefined || options.unnamed_profile !== undefined;
    if (!isSignedIn) return new CrawlSession(given);
    const profile = await ProfileSession.open(db, secrets, job.id, options);
    return new CrawlSession(given, profile, await secrets.sealingKey(db));
  }

  private constructor(
    { db, log, job, options, secrets, isResumed }: CrawlSessionOptions,
    profile?: ProfileSession,
    key?: SecretKey,
  ) {
    this.#log = log;
    this.profile = profile;
    const { accept, 'accept-language': language, ...headers } = lowerCase(options.headers ?? {});
    this.#everywhere = { accept, acceptLanguage: options.accept_language ?? language, headers };
    const stored = { db, jobId: job.id, isResumed };
    if (!options.cookies) return;
    this.#plain = new StoredCookies({ ...stored, signedIn: false, wrapping: plainWrapping });
    if (key)
      this.#signedIn = new StoredCookies({
        ...stored,
        signedIn: true,
        wrapping: sealing(key, secrets.keys, job.id),
      });
  }

  async prepare(url: string): Promise<Carried> {
    const { profile } = this;
    if (!profile?.covers(url)) {
      const cookie = (await this.#plain?.of(url))?.header(url);
      return { request: this.#with(cookie === undefined ? {} : { cookie }), profile: null };
    }
    await this.refresh();
    const shared = profile.cookies(url);
    const names = new Set(shared.map(({ name }) => name));
    const own = (await this.#signedIn?.of(url))?.of(url).filter(({ name }) => !names.has(name)) ?? [];
    const cookie = [...shared, ...own]
      .map(({ name, value }) => (name === '' ? value : `${name}=${value}`))
      .join('; ');
    return {
      request: this.#with({ ...profile.headers, ...(cookie !== '' && { cookie }) }),
      profile: profile.version,
    };
  }

  /** What a browser needs to render a page: cookies of any visitor, or the values of the profile, which stay outside of it. */
  async forBrowser(url: string): Promise<Carried & { readonly means: BrowserMeans }> {
    const { profile } = this;
    const { acceptLanguage } = this.#everywhere;
    if (!profile?.covers(url)) {
      const cookies = (await this.#plain?.of(url))?.of(url);
      return { ...nothingCarried, means: { acceptLanguage, ...(cookies?.length && { cookies }) } };
    }
    await this.refresh();
    const own = (await this.#signedIn?.of(url))?.all() ?? [];
    const secrets = {
      origins: profile.origins,
      headers: profile.headers,
      cookies: [...own, ...profile.allCookies],
    };
    return { request: {}, profile: profile.version, means: { acceptLanguage, secrets } };
  }

  /** Stores the cookies of a response, unless it shows that the sign-in has expired. */
  async receive(
    url: string,
    { setCookies }: Pick<FetchResponse, 'setCookies'>,
    carried: Carried,
  ): Promise<void> {
    if (!setCookies?.length) return;
    if (carried.profile === null) return await this.#plain?.receive(url, setCookies);
    await this.#unlessAway(this.profile?.renew(url, setCookies));
    await this.#signedIn?.receive(url, setCookies);
  }

  /** Whether another runner or the owner changed the profile since the request, so that a retry may succeed. */
  async isOutdated(carried: Carried): Promise<boolean> {
    if (carried.profile === null || !this.profile) return false;
    await this.refresh(0);
    return this.profile.version !== carried.profile;
  }

  /** For the next checkpoint. */
  takeChanged(): CookieRow[] {
    const plain = this.#plain?.takeChanged() ?? [];
    return this.#signedIn ? [...plain, ...this.#signedIn.takeChanged()] : plain;
  }

  private async refresh(maxAgeMs?: number): Promise<void> {
    await this.#unlessAway(this.profile?.refresh(maxAgeMs));
  }

  /** While the database is down, the crawl continues with the known values. */
  async #unlessAway(work: Promise<void> | undefined): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!isTransient(error)) throw error;
      this.#log.warn(
        { err: error },
        'Could not read or renew the profile; continuing with the last known values',
      );
    }
  }

  #with(headers: Readonly<Record<string, string>>): Carried['request'] {
    return { ...this.#everywhere, headers: { ...this.#everywhere.headers, ...headers } };
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A crawl whose cookies cannot be decrypted here starts with those of the profile. */
function sealing(key: SecretKey, keys: SecretKeys, jobId: string): CookieWrapping {
  return {
    wrap: (text, site) => seal(key, text, `${jobId} ${site}`),
    unwrap: (bytes, site) => {
      try {
        return unseal(keys, bytes, `${jobId} ${site}`);
      } catch {
        return null;
      }
    },
  };
}
