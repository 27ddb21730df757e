import { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie';

/** A cookie in the form of Playwright's storageState, with `expires` in seconds; -1 or absent: a session cookie. */
export interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Sent to this host only, not to its subdomains. */
  readonly hostOnly?: boolean | undefined;
  readonly path?: string | undefined;
  readonly expires?: number | undefined;
  readonly secure?: boolean | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: string | undefined;
}

/** The limit of browsers per site. */
const maxCookies = 180;
/** Servers refuse longer headers, on every page. */
const maxHeader = 16 * 1024;

/** The cookies of one site, according to RFC 6265bis. Bounded in size. */
export class CookieBox {
  readonly #store = new MemoryCookieStore();
  readonly #jar = new CookieJar(this.#store, { looseMode: true, allowSecureOnLocal: false });
  #count = 0;

  constructor(cookies: readonly StoredCookie[] = []) {
    for (const cookie of cookies) this.put(cookie);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The Cookie header of a request; undefined when there is none to send. */
  header(url: string): string | undefined {
    if (this.#count === 0) return undefined;
    let header = '';
    for (const cookie of this.#jar.getCookiesSync(url)) {
      const pair = cookie.cookieString();
      if (header.length + pair.length + 2 > maxHeader) break;
      header += header === '' ? pair : `; ${pair}`;
    }
    return header || undefined;
  }

  /** The cookies that a request would carry. */
  of(url: string): StoredCookie[] {
    return this.#count === 0 ? [] : this.#jar.getCookiesSync(url).map(stored);
  }

  /** Stores the Set-Cookie headers of a response. Returns whether the cookies to send changed. */
  receive(url: string, setCookies: readonly string[]): boolean {
    let hasChanged = false;
    for (const line of setCookies) {
      const cookie = control.test(line) ? undefined : Cookie.parse(line, { loose: true });
      // It must fit into a request header.
      if (cookie && isSendable(cookie)) hasChanged = this.#set(cookie, url) || hasChanged;
    }
    return hasChanged;
  }

  /** Adds a stored cookie, or one provided by its owner. */
  put({ name, value, domain, hostOnly, path, expires, secure, httpOnly, sameSite }: StoredCookie): boolean {
    const host = domain.replace(/^\./, '').toLowerCase();
    const isSession = expires === undefined || expires < 0;
    const cookie = new Cookie({
      key: name,
      value,
      path: path ?? '/',
      secure: secure ?? false,
      httpOnly: httpOnly ?? false,
      ...(hostOnly !== true && { domain: host }),
      ...(sameSite && { sameSite: sameSite.toLowerCase() }),
      expires: isSession ? 'Infinity' : new Date(expires * 1000),
    });
    const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    return isSendable(cookie) && this.#set(cookie, `https://${bracketed}${cookie.path}`);
  }

  all(): StoredCookie[] {
    return this.#cookies().map(stored);
  }

  #set(cookie: Cookie, url: string): boolean {
    const before = this.#jar.getCookiesSync(url, { expire: false }).find((known) => isSame(known, cookie));
    const set = this.#jar.setCookieSync(cookie, url, { ignoreError: true });
    if (!set) return false;
    const isOver = set.expiryTime() !== undefined && (set.expiryTime() as number) <= Date.now();
    if (isOver) this.#store.removeCookie(set.domain ?? '', set.path ?? '/', set.key, () => undefined);
    else if (!before) this.#makeRoom();
    this.#count = this.#cookies().length;
    return isOver ? before !== undefined : before?.value !== set.value || !isAsLong(before, set);
  }

  #makeRoom(): void {
    const cookies = this.#cookies();
    if (cookies.length <= maxCookies) return;
    const [oldest] = cookies.toSorted((a, b) => (a.creationIndex ?? 0) - (b.creationIndex ?? 0));
    if (oldest)
      this.#store.removeCookie(oldest.domain ?? '', oldest.path ?? '/', oldest.key, () => undefined);
  }

  #cookies(): Cookie[] {
    let all: Cookie[] = [];
    this.#store.getAllCookies((_, cookies) => {
      all = cookies ?? [];
    });
    return all;
  }
}

function stored(cookie: Cookie): StoredCookie {
  const expires = cookie.expiryTime();
  return {
    name: cookie.key,
    value: cookie.value,
    domain: cookie.domain ?? '',
    ...(cookie.hostOnly && { hostOnly: true }),
    ...(cookie.path !== '/' && cookie.path !== null && { path: cookie.path }),
    ...(expires !== undefined && Number.isFinite(expires) && { expires: Math.floor(expires / 1000) }),
    ...(cookie.secure && { secure: true }),
    ...(cookie.httpOnly && { httpOnly: true }),
    ...(cookie.sameSite && { sameSite: cookie.sameSite }),
  };
}

function isSame(one: Cookie, other: Cookie): boolean {
  return one.key === other.key && (other.path === null || one.path === other.path);
}

/** Sites that renew a cookie with every response change its expiry by seconds, which is not worth a write. */
function isAsLong(one: Cookie | undefined, other: Cookie): boolean {
  const [before = Number.POSITIVE_INFINITY, after = Number.POSITIVE_INFINITY] = [
    one?.expiryTime(),
    other.expiryTime(),
  ];
  if (before === after) return true;
  return Math.abs(after - before) < Math.min(before - Date.now(), 24 * 3_600_000) / 10;
}

const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 6265bis: such a line is no cookie. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to refuse
const control = /[\0-\x08\x0a-\x1f\x7f]/;

function isSendable({ key, value }: Cookie): boolean {
  return key + value !== '' && sendable.test(key) && sendable.test(value);
}
