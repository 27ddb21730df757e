import { type ProxyServer, proxyAddress } from '@holdfast/contract';
import type { ProxyEndpoint, ProxyFailure } from './proxy-endpoint.ts';

export type ProxyRotation = 'round_robin' | 'sticky';

export interface ProxyPoolOptions {
  readonly name: string;
  readonly servers: readonly ProxyServer[];
  readonly rotation?: ProxyRotation | undefined;
  /** All proxies of the pool resolve host names. */
  readonly resolvesNames?: boolean | undefined;
  readonly mayBePrivate?: boolean | undefined;
  readonly cooldownMs?: number | undefined;
  /** The monotonic clock. */
  readonly now?: (() => number) | undefined;
}

/** Outcomes of an endpoint's requests since the last `collect`. */
export interface EndpointReport {
  readonly endpoint: string;
  readonly address: string;
  readonly requests: number;
  readonly failures: number;
  readonly coolingMs: number;
  readonly lastFailure: string | null;
  readonly succeeded: boolean;
}

/** Consecutive failures that pause a proxy, or a host's route through it. */
const mostInARow = 3;
/** Consecutive failing hosts that pause a proxy. */
const mostHosts = 3;
/** Each pause is twice as long as the previous one, up to this multiple of the first. */
const longestFactor = 16;
const standardCooldownMs = 30_000;
const maxRoutes = 10_000;
/** How soon to check the outcome of a trial. */
const trialLookMs = 250;

/** A list of proxies, with its rotation and the pauses of failed ones. */
export class ProxyPool {
  readonly name: string;
  readonly #members: readonly Member[];
  readonly #rotation: ProxyRotation;
  readonly #now: () => number;
  #turn = 0;

  constructor(options: ProxyPoolOptions) {
    const { name, servers, rotation = 'round_robin', cooldownMs = standardCooldownMs } = options;
    this.name = name;
    this.#rotation = rotation;
    this.#now = options.now ?? (() => performance.now());
    this.#members = servers.map((server, index) => {
      const endpoint: ProxyEndpoint = {
        ...server,
        name: servers.length === 1 ? name : `${name}#${index + 1}`,
        resolvesNames: server.resolvesNames || options.resolvesNames === true,
        mayBePrivate: options.mayBePrivate === true,
      };
      return new Member(endpoint, cooldownMs);
    });
  }

  get size(): number {
    return this.#members.length;
  }

  get endpoints(): readonly ProxyEndpoint[] {
    return this.#members.map(({ endpoint }) => endpoint);
  }

  /** The proxy for the next request to a host. Undefined while all candidates are paused. */
  choose(host: string, except: ReadonlySet<string> = new Set()): ProxyEndpoint | undefined {
    const now = this.#now();
    const ready = this.#members.filter(
      (member) => !except.has(member.endpoint.name) && member.readyAt(host) <= now && member.mayTry(now),
    );
    const chosen = this.#rotation === 'sticky' ? closest(ready, host) : this.#next(ready);
    chosen?.start(now);
    return chosen?.endpoint;
  }

  /** Until when all proxies are paused for the host; 0: one is available. */
  blockedUntil(host: string): number {
    const now = this.#now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const member of this.#members) earliest = Math.min(earliest, member.freeAt(host, now));
    return earliest > now ? earliest : 0;
  }

  /** The last failure of its servers, for people. */
  get trouble(): string | undefined {
    return this.#members.find(({ lastFailure }) => lastFailure !== null)?.lastFailure ?? undefined;
  }

  /** A request succeeded as far as the proxy is concerned: the site responded, or the error was not the proxy's. */
  succeeded(endpoint: ProxyEndpoint, host: string): void {
    this.#memberOf(endpoint)?.succeeded(host);
  }

  failed(failure: ProxyFailure, host: string): void {
    this.#memberOf(failure.endpoint)?.failed(failure, host, this.#now());
  }

  /** A request ended without evidence about the proxy. */
  abandoned(endpoint: ProxyEndpoint): void {
    this.#memberOf(endpoint)?.abandoned();
  }

  /** Health reported by other processes: an endpoint is paused until then. */
  learn(endpoint: string, coolingMs: number): void {
    const member = this.#members.find((one) => one.endpoint.name === endpoint);
    member?.rest(this.#now() + coolingMs);
  }

  /** What is new about the endpoints since the last call. */
  collect(): EndpointReport[] {
    const now = this.#now();
    return this.#members.flatMap((member) => member.collect(now) ?? []);
  }

  #memberOf(endpoint: ProxyEndpoint): Member | undefined {
    return this.#members.find((member) => member.endpoint === endpoint);
  }

  #next(ready: readonly Member[]): Member | undefined {
    if (ready.length === 0) return undefined;
    // By position in the whole list, so that a paused proxy does not change the rotation of the others.
    for (let step = 0; step < this.#members.length; step++) {
      const member = this.#members[this.#turn++ % this.#members.length];
      if (member && ready.includes(member)) return member;
    }
    return undefined;
  }
}

class Member {
  readonly endpoint: ProxyEndpoint;
  lastFailure: string | null = null;
  readonly #cooldownMs: number;
  #restsUntil = 0;
  /** After a pause, one request at a time until one succeeds. */
  #isOnTrial = false;
  #trials = 0;
  #trialSince = 0;
  #streak = 0;
  #rests = 0;
  /** Consecutive hosts that failed. */
  readonly #mute = new Set<string>();
  readonly #routes = new Map<string, { streak: number; rests: number; until: number }>();
  #requests = 0;
  #failures = 0;
  #hasSucceeded = false;
  #isNews = false;

  constructor(endpoint: ProxyEndpoint, cooldownMs: number) {
    this.endpoint = endpoint;
    this.#cooldownMs = cooldownMs;
  }

  readyAt(host: string): number {
    return Math.max(this.#restsUntil, this.#routes.get(host)?.until ?? 0);
  }

  /** The same, or a trial is in progress. */
  freeAt(host: string, now: number): number {
    return this.mayTry(now) ? this.readyAt(host) : Math.max(this.readyAt(host), now + trialLookMs);
  }

  /** A trial without an outcome must not block it forever. */
  mayTry(now: number): boolean {
    return !this.#isOnTrial || this.#trials === 0 || now - this.#trialSince > this.#cooldownMs;
  }

  start(now: number): void {
    this.#requests++;
    if (!this.#isOnTrial) return;
    this.#trials++;
    this.#trialSince = now;
  }

  succeeded(host: string): void {
    this.#streak = 0;
    this.#rests = 0;
    this.#isOnTrial = false;
    this.#trials = 0;
    this.lastFailure = null;
    this.#hasSucceeded = true;
    if (this.#mute.size > 0) this.#mute.clear();
    if (this.#routes.size > 0) this.#routes.delete(host);
  }

  failed({ blame, detail, isUnauthorized }: ProxyFailure, host: string, now: number): void {
    this.#failures++;
    this.#trials = 0;
    this.#isNews = true;
    this.lastFailure = detail ?? null;
    // It was under way when others made it rest.
    if (now < this.#restsUntil) return;
    if (blame === 'route') {
      this.#mute.add(host);
      this.#blameRoute(host, now);
      if (this.#mute.size < mostHosts && !this.#isOnTrial) return;
    } else if (++this.#streak < mostInARow && !isUnauthorized && !this.#isOnTrial) return;
    this.#streak = 0;
    this.#mute.clear();
    this.rest(now + this.#cooldownMs * Math.min(2 ** this.#rests++, longestFactor));
  }

  abandoned(): void {
    this.#trials = 0;
  }

  rest(until: number): void {
    if (until <= this.#restsUntil) return;
    this.#restsUntil = until;
    this.#isOnTrial = true;
    this.#trials = 0;
  }

  collect(now: number): EndpointReport | undefined {
    if (this.#requests === 0 && !this.#isNews) return undefined;
    const report = {
      endpoint: this.endpoint.name,
      address: proxyAddress(this.endpoint),
      requests: this.#requests,
      failures: this.#failures,
      coolingMs: Math.max(0, this.#restsUntil - now),
      lastFailure: this.lastFailure,
      succeeded: this.#hasSucceeded,
    };
    this.#requests = 0;
    this.#failures = 0;
    this.#hasSucceeded = false;
    this.#isNews = false;
    return report;
  }

  #blameRoute(host: string, now: number): void {
    const route = this.#routes.get(host) ?? { streak: 0, rests: 0, until: 0 };
    this.#routes.delete(host);
    this.#routes.set(host, route);
    if (++route.streak >= mostInARow) {
      route.streak = 0;
      route.until = now + this.#cooldownMs * Math.min(2 ** route.rests++, longestFactor);
    }
    const [oldest] = this.#routes.keys();
    if (this.#routes.size > maxRoutes && oldest !== undefined) this.#routes.delete(oldest);
  }
}

/** Rendezvous hashing: a host keeps its proxy, and if that is paused, only its hosts move. */
function closest(members: readonly Member[], host: string): Member | undefined {
  let best: Member | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hash(`${member.endpoint.name} ${host}`);
    if (weight <= highest) continue;
    highest = weight;
    best = member;
  }
  return best;
}

/** FNV-1a, with its bits mixed once more. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
