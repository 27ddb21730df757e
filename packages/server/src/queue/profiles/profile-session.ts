import { HoldfastError, isOriginOf } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { seal, unseal } from '../../base/secrets/seal.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { CookieBox, type StoredCookie } from '../../web/cookies/cookie-box.ts';

/** The encrypted values of a profile. */
export interface ProfileSecret {
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly StoredCookie[];
}

/** How a job names its profile. */
export interface ProfileReference {
  readonly profile?: string | undefined;
  readonly unnamed_profile?: string | undefined;
}

interface ProfileRow {
  readonly id: string;
  readonly origins: string[];
  readonly edition: number;
  readonly version: string;
  readonly secret_id: string;
  readonly proxy: string | null;
  /** Null if it is the known one. */
  readonly sealed: Buffer | null;
}

const columns = `profile.id, origins, edition, version::text, secret_id, contents ->> 'proxy' AS proxy`;

const openStatement = statement<ProfileRow>(
  'open-profile',
  `
WITH owner AS MATERIALIZED (
  SELECT user_id FROM crawl_jobs WHERE id = $1
),
used AS (
  UPDATE profiles profile SET last_used_at = now()
  WHERE user_id = (SELECT user_id FROM owner) AND (name = $2 OR (name IS NULL AND id = $3::uuid))
    AND (last_used_at > now() - interval '1 minute') IS NOT TRUE
)
SELECT ${columns}, sealed FROM profiles profile JOIN secrets ON secrets.id = secret_id
WHERE user_id = (SELECT user_id FROM owner) AND (name = $2 OR (name IS NULL AND profile.id = $3::uuid))`,
);

const lookStatement = statement<ProfileRow>(
  'look-at-profile',
  `SELECT ${columns}, CASE WHEN version <> $2::bigint THEN sealed END AS sealed
   FROM profiles profile JOIN secrets ON secrets.id = secret_id WHERE profile.id = $1`,
);

/** Compare and swap: two runners that received a new cookie must not overwrite each other. */
const renewStatement = statement<{ version: string }>(
  'renew-profile',
  `
WITH turn AS (
  UPDATE profiles SET version = version + 1 WHERE id = $1 AND version = $2::bigint AND edition = $3 RETURNING secret_id, version
),
written AS (
  UPDATE secrets SET key_id = $4, sealed = $5 FROM turn WHERE secrets.id = turn.secret_id
)
SELECT version::text FROM turn`,
);

/** Sites accept a replaced cookie for some seconds; cookies renewed by other runners are read well before that. */
const staleMs = 250;
const attempts = 5;

/**
 * A profile in use. All its runs share its cookies: a cookie that a site renews is stored at once, and the other runs
 * read it before their next request.
 */
export class ProfileSession {
  readonly #db: Queryable;
  readonly #store: SecretStore;
  #row: ProfileRow;
  #secret: ProfileSecret;
  #box: CookieBox;
  #readAt = performance.now();
  #looking: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  /**
   * The profile that a job names, if it belongs to the job's owner. Throws `profile_not_found`, or
   * `secret_key_missing`.
   */
  static async open(
    db: Queryable,
    store: SecretStore,
    jobId: string,
    { profile, unnamed_profile }: ProfileReference,
  ): Promise<ProfileSession> {
    const [row] = await run(db, openStatement, [jobId, profile ?? null, unnamed_profile ?? null]);
    if (!row) throw new HoldfastError('profile_not_found', profile ?? unnamed_profile);
    return new ProfileSession(db, store, row);
  }

  private constructor(db: Queryable, store: SecretStore, row: ProfileRow) {
    this.#db = db;
    this.#store = store;
    this.#row = row;
    this.#secret = this.#open(row);
    this.#box = new CookieBox(this.#secret.cookies);
  }

  get origins(): readonly string[] {
    return this.#row.origins;
  }

  /** For the requests of jobs that use it. */
  get proxy(): string | undefined {
    return this.#row.proxy ?? undefined;
  }

  /** Changes whenever its values do. */
  get version(): string {
    return this.#row.version;
  }

  /** Its values are sent only to these URLs. */
  covers(url: string): boolean {
    return isOriginOf(this.#row.origins, url);
  }

  /** The headers of a request to a URL that it covers, without its cookies. */
  get headers(): Readonly<Record<string, string>> {
    return this.#secret.headers;
  }

  cookies(url: string): StoredCookie[] {
    return this.#box.of(url);
  }

  get allCookies(): StoredCookie[] {
    return this.#box.all();
  }

  /** Reads changes, unless they were read a moment ago. */
  async refresh(maxAgeMs = staleMs): Promise<void> {
    if (performance.now() - this.#readAt < maxAgeMs) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /**
   * Stores cookies that a site renewed. Resolves when all runs can read them. A deleted cookie is not removed: it only
   * shows that the cookie has expired.
   */
  async renew(url: string, setCookies: readonly string[]): Promise<void> {
    const before = new Map(this.#box.of(url).map((cookie) => [cookie.name, cookie.value]));
    const trial = new CookieBox(this.#box.all());
    if (!trial.receive(url, setCookies)) return;
    const renewed = trial.of(url).filter(({ name, value }) => before.has(name) && before.get(name) !== value);
    if (renewed.length === 0) return;
    for (const cookie of renewed) this.#box.put(cookie);
    this.#secret = { ...this.#secret, cookies: this.#box.all() };
    const { edition } = this.#row;
    this.#writing = this.#writing.then(() => this.#write(renewed, edition));
    await this.#writing;
  }

  async #look(): Promise<void> {
    const { id, version } = this.#row;
    const [row] = await run(this.#db, lookStatement, [id, version]);
    if (!row) throw new HoldfastError('profile_not_found', id);
    this.#readAt = performance.now();
    if (row.sealed === null || BigInt(row.version) <= BigInt(this.#row.version)) return;
    this.#secret = this.#open(row);
    this.#row = row;
    this.#box = new CookieBox(this.#secret.cookies);
  }

  async #write(renewed: readonly StoredCookie[], edition: number): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      // Its owner has replaced the values since.
      if (this.#row.edition !== edition) return;
      for (const cookie of renewed) this.#box.put(cookie);
      this.#secret = { ...this.#secret, cookies: this.#box.all() };
      const { id, version, secret_id } = this.#row;
      const key = await this.#store.sealingKey(this.#db);
      const sealed = seal(key, JSON.stringify(this.#secret), secret_id);
      const [written] = await run(this.#db, renewStatement, [id, version, edition, key.id, sealed]);
      if (written) {
        this.#row = { ...this.#row, version: written.version };
        return;
      }
      await this.#look();
    }
  }

  #open({ sealed, secret_id }: ProfileRow): ProfileSecret {
    if (sealed === null) return this.#secret;
    return JSON.parse(unseal(this.#store.keys, sealed, secret_id)) as ProfileSecret;
  }
}
