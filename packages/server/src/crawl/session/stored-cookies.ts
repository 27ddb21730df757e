import { LruMap } from '../../base/collections/lru-map.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { CookieBox, type StoredCookie } from '../../web/cookies/cookie-box.ts';
import { cookieSite } from '../../web/cookies/cookie-site.ts';

/** A row that the next checkpoint writes. */
export interface CookieRow {
  readonly site: string;
  readonly signedIn: boolean;
  readonly cookies: Buffer;
}

/** Encrypts and decrypts the cookies of a row. `site` is authenticated with them. */
export interface CookieWrapping {
  wrap(text: string, site: string): Buffer;
  /** Null: the bytes cannot be read here. */
  unwrap(bytes: Buffer, site: string): string | null;
}

export interface StoredCookiesOptions {
  readonly db: Queryable;
  readonly jobId: string;
  readonly signedIn: boolean;
  readonly wrapping: CookieWrapping;
  /** An earlier run may have stored rows. */
  readonly isResumed: boolean;
}

/** Sites in memory. The others are in the database. */
const maxSites = 2_000;

const readStatement = statement<{ cookies: Buffer }>(
  'read-crawl-cookies',
  'SELECT cookies FROM crawl_cookies WHERE job_id = $1 AND site = $2 AND signed_in = $3',
);

/** The cookies of one crawl by site; requests with a profile have separate ones. */
export class StoredCookies {
  readonly #options: StoredCookiesOptions;
  readonly #boxes = new LruMap<Promise<CookieBox>>(maxSites);
  readonly #changed = new Map<string, CookieBox>();
  #seen = 0;

  constructor(options: StoredCookiesOptions) {
    this.#options = options;
  }

  of(url: string): Promise<CookieBox> {
    const site = cookieSite(url);
    let box = this.#boxes.get(site);
    if (!box) {
      const mayBeStored = this.#options.isResumed || this.#seen >= maxSites;
      const changed = this.#changed.get(site);
      box = changed || !mayBeStored ? Promise.resolve(changed ?? new CookieBox()) : this.#read(site);
      box.catch(() => this.#boxes.delete(site));
      this.#boxes.set(site, box);
      this.#seen++;
    }
    return box;
  }

  async receive(url: string, setCookies: readonly string[]): Promise<void> {
    const box = await this.of(url);
    if (box.receive(url, setCookies)) this.#changed.set(cookieSite(url), box);
  }

  /** What changed since the last call. */
  takeChanged(): CookieRow[] {
    if (this.#changed.size === 0) return [];
    const { signedIn, wrapping } = this.#options;
    const rows = [...this.#changed].map(([site, box]) => ({
      site,
      signedIn,
      cookies: wrapping.wrap(JSON.stringify(box.all()), site),
    }));
    this.#changed.clear();
    return rows;
  }

  async #read(site: string): Promise<CookieBox> {
    const { db, jobId, signedIn, wrapping } = this.#options;
    const [row] = await run(db, readStatement, [jobId, site, signedIn]);
    const text = row ? wrapping.unwrap(row.cookies, site) : null;
    return new CookieBox(text === null ? [] : (JSON.parse(text) as StoredCookie[]));
  }
}

/**
 * Cookies of anonymous visits are not encrypted. The first byte distinguishes the two forms: that of an encrypted value
 * is never 0.
 */
export const plainWrapping: CookieWrapping = {
  wrap: (text) => Buffer.concat([Buffer.from([0]), Buffer.from(text)]),
  unwrap: (bytes) => (bytes[0] === 0 ? bytes.subarray(1).toString() : null),
};
