import { HoldfastError, type JsonAdapterConfig } from '@holdfast/contract';
import type { GovernedFetcher } from '../../../governor/governed-fetcher.ts';
import type { RequestLease } from '../../../web/fetch/fetcher.ts';
import { refusedLater } from '../../../web/fetch/status-error.ts';
import { fillText, fillUrl, type Secrets } from './fill-template.ts';
import { readJson } from './read-answer.ts';

type OAuth = NonNullable<JsonAdapterConfig['oauth']>;

/** The source whose token is needed, and the means to request one. */
export interface TokenContext extends RequestLease {
  readonly sourceId: string;
  readonly fetcher: Pick<GovernedFetcher, 'fetch'>;
  readonly secrets: Secrets;
}

interface Token {
  readonly value: string;
  /** By the monotonic clock. */
  readonly expiresAt: number;
}

/** A token is not used in its last minute, because the request that carries it takes time. */
const marginMs = 60_000;
const defaultLifeSeconds = 300;
const limits = { maxBytes: 100_000, totalMs: 30_000 };

/** OAuth access tokens (client credentials), each requested once per lifetime and kept in memory only. */
export class AccessTokens {
  readonly #tokens = new Map<string, Promise<Token>>();

  /** The token for this source and this configuration. */
  async get(oauth: OAuth, context: TokenContext): Promise<string> {
    const key = keyOf(oauth, context);
    for (;;) {
      let token = this.#tokens.get(key);
      const isOurs = token === undefined;
      if (token === undefined) {
        token = askForToken(oauth, context);
        this.#tokens.set(key, token);
      }
      try {
        const { value, expiresAt } = await token;
        if (isOurs || expiresAt > performance.now()) return value;
      } catch (error) {
        if (this.#tokens.get(key) === token) this.#tokens.delete(key);
        // The run that requested it was stopped or refused; that says nothing about this run.
        if (isOurs) throw error;
      }
      if (this.#tokens.get(key) === token) this.#tokens.delete(key);
      context.signal.throwIfAborted();
    }
  }

  /** Drops a token that the API no longer accepts. */
  forget(oauth: OAuth, context: TokenContext): void {
    this.#tokens.delete(keyOf(oauth, context));
  }
}

function keyOf(oauth: OAuth, { sourceId }: TokenContext): string {
  return `${sourceId} ${JSON.stringify(oauth)}`;
}

async function askForToken(oauth: OAuth, context: TokenContext): Promise<Token> {
  const { secrets, fetcher, leaseEnds, signal } = context;
  const id = fillText(oauth.client_id, {}, secrets);
  const secret = fillText(oauth.client_secret, {}, secrets);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (oauth.scope) form.set('scope', oauth.scope);
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (oauth.credentials === 'basic') {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', id);
    form.set('client_secret', secret);
  }
  const url = fillUrl(oauth.token_url, {}, secrets);
  const response = await fetcher.fetch(
    { url, headers, body: form.toString(), accept: 'application/json', limits },
    { leaseEnds, signal, maxHops: 0, obeysRobots: false, headersAreSecret: true },
  );
  const later = refusedLater(response);
  if (later) throw later;
  if (response.status !== 200)
    throw new HoldfastError('source_refused', `its token endpoint answered HTTP ${response.status}`);
  const answer = readJson(response.body) as { access_token?: unknown; expires_in?: unknown } | null;
  const value = answer?.access_token;
  if (typeof value !== 'string' || value === '' || /[^\x21-\x7e]/.test(value))
    throw new HoldfastError('answer_invalid', 'its token endpoint returned no access_token');
  const life = Number(answer?.expires_in ?? defaultLifeSeconds) || defaultLifeSeconds;
  return { value, expiresAt: performance.now() + Math.max(0, life * 1000 - marginMs) };
}
