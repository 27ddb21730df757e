import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { BrowserType } from 'playwright-core';
import { BrowserDied, BrowserProcess } from './browser-process.ts';
import type { GuardProxy } from './guard-proxy.ts';
import { renderPage } from './render-page.ts';
import type { RenderedPage, RenderRequest } from './render-request.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface BrowserPoolOptions {
  readonly program: string;
  readonly folder: string;
  readonly chromium: BrowserType;
  readonly proxy: GuardProxy;
  readonly log: Logger;
  readonly browsers: number;
  readonly pagesAtOnce: number;
  /** A browser is replaced after so many pages, minutes or bytes of memory. */
  readonly maxPages: number;
  readonly maxMinutes: number;
  readonly maxMemoryBytes: number;
  /** Idle time after which browsers are closed. */
  readonly idleMs: number;
  readonly onStarted: (pid: number) => void;
  readonly onEnded: (pid: number) => void;
}

interface Seat {
  process: BrowserProcess | undefined;
  starting: Promise<BrowserProcess> | undefined;
  readonly renders: Set<AbortController>;
  /** It accepts no new page and is closed after its last one. */
  isRetiring: boolean;
  /** Its page shares it with no other. */
  isAlone: boolean;
}

/** A page's place in a browser. */
interface Place {
  readonly seat: Seat;
  readonly ended: AbortController;
}

interface Waiting {
  /** It was in a browser that died, and may be why. */
  readonly isAlone: boolean;
  readonly begin: (place: Place) => void;
  readonly fail: (error: unknown) => void;
}

const watchMs = 1_000;
/** A browser that does not say who it is for so long hangs. */
const silentMs = 10_000;
/** A page that exceeds its own deadline is ended from outside, if necessary with its browser. */
const graceMs = 3_000;

/**
 * Browsers that render pages, a few at once in each. The pages of a browser that dies are rendered again one by one: a page that
 * kills its browsers fails, and costs its neighbours nothing.
 */
export class BrowserPool {
  readonly #options: BrowserPoolOptions;
  readonly #seats: Seat[];
  readonly #waiting: Waiting[] = [];
  readonly #watch: NodeJS.Timeout;
  #numbers = 0;
  #lastUsed = performance.now();
  #isClosed = false;
  /** Total of all browsers, at most a second old. */
  memoryBytes = 0;

  constructor(options: BrowserPoolOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.browsers }, emptySeat);
    this.#watch = setInterval(() => this.#lookAfter(), watchMs);
  }

  get browsers(): number {
    return this.#seats.filter((seat) => seat.process?.isAlive).length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async render(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage> {
    try {
      return await this.#render(request, signal, false);
    } catch (error) {
      if (!(error instanceof BrowserDied) || this.#isClosed) throw error;
      return await this.#render(request, signal, true);
    }
  }

  async #render(request: RenderRequest, signal: AbortSignal, isAlone: boolean): Promise<RenderedPage> {
    const { seat, ended } = await this.#place(signal, isAlone);
    const cancel = () => ended.abort(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const timer = setTimeout(() => this.#overdue(seat, ended), request.options.timeoutMs + graceMs);
    try {
      const process = await this.#processOf(seat);
      process.pages++;
      const page = await this.#unlessDead(
        process,
        ended,
        renderPage(process.browser, this.#options.proxy, request, ended.signal),
      );
      return page;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#leave(seat, ended);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    for (const { fail } of this.#waiting.splice(0)) fail(closed());
    await Promise.all(this.#seats.map((seat) => this.#vacate(seat, 'close')));
  }

  async #place(signal: AbortSignal, isAlone: boolean): Promise<Place> {
    if (this.#isClosed) throw closed();
    let waiting: Waiting | undefined;
    const place = new Promise<Place>((resolve, reject) => {
      waiting = { begin: resolve, fail: reject, isAlone };
      this.#waiting.push(waiting);
    });
    this.#serve();
    try {
      return await unlessAborted(place, signal);
    } catch (error) {
      const at = waiting ? this.#waiting.indexOf(waiting) : -1;
      if (at >= 0) this.#waiting.splice(at, 1);
      // It was cancelled in the meantime.
      else void place.then(({ seat, ended }) => this.#leave(seat, ended)).catch(() => undefined);
      throw error;
    }
  }

  #leave(seat: Seat, ended: AbortController): void {
    seat.renders.delete(ended);
    seat.isAlone = false;
    this.#lastUsed = performance.now();
    this.#retireIfWorn(seat);
    this.#serve();
  }

  /** Fills existing browsers before it starts another. */
  #serve(): void {
    for (const waiting of [...this.#waiting]) {
      const { isAlone } = waiting;
      const room = isAlone ? 1 : this.#options.pagesAtOnce;
      const free = this.#seats.filter(
        (seat) => !seat.isRetiring && !seat.isAlone && seat.renders.size < room,
      );
      const seat =
        free
          .filter(({ process, starting }) => process || starting)
          .sort((a, b) => a.renders.size - b.renders.size)[0] ?? free[0];
      const busy = seat && seat.renders.size > 0;
      const another = busy ? free.find(({ process, starting }) => !process && !starting) : undefined;
      const chosen = another ?? seat;
      // Whoever came first is served first: the browsers empty for one that wants one for itself.
      if (!chosen) return;
      const ended = new AbortController();
      chosen.renders.add(ended);
      chosen.isAlone = isAlone;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.begin({ seat: chosen, ended });
    }
  }

  async #processOf(seat: Seat): Promise<BrowserProcess> {
    if (seat.process?.isAlive) return seat.process;
    if (seat.process) this.#forget(seat);
    seat.starting ??= this.#start(seat).finally(() => {
      seat.starting = undefined;
    });
    return await seat.starting;
  }

  async #start(seat: Seat): Promise<BrowserProcess> {
    const { onStarted, log } = this.#options;
    const process = await BrowserProcess.start({ ...this.#options, onStarted }, ++this.#numbers);
    log.debug({ pid: process.pid }, 'A browser started');
    if (this.#isClosed) {
      process.kill();
      throw closed();
    }
    seat.process = process;
    process.browser.once('disconnected', () => {
      if (seat.process === process) this.#forget(seat);
    });
    return process;
  }

  /** If the browser dies, its renderings fail at once instead of timing out. */
  async #unlessDead(
    process: BrowserProcess,
    ended: AbortController,
    rendering: Promise<RenderedPage>,
  ): Promise<RenderedPage> {
    const dead = () => ended.abort(new BrowserDied());
    process.browser.once('disconnected', dead);
    try {
      return await unlessAborted(rendering, ended.signal);
    } catch (error) {
      // What it was asked last may fail before it is known to be dead.
      throw ended.signal.aborted || process.isAlive ? error : new BrowserDied();
    } finally {
      process.browser.off('disconnected', dead);
    }
  }

  #overdue(seat: Seat, ended: AbortController): void {
    ended.abort(new HoldfastError('render_timeout', 'the browser no longer answers'));
    this.#options.log.warn({ pid: seat.process?.pid }, 'A browser hangs; replacing it');
    this.#forget(seat);
  }

  #lookAfter(): void {
    const { maxMemoryBytes, idleMs, log } = this.#options;
    this.memoryBytes = 0;
    for (const seat of this.#seats) {
      const { process } = seat;
      if (!process) continue;
      if (process.silentMs > silentMs) {
        log.warn({ pid: process.pid }, 'A browser hangs; replacing it');
        this.#forget(seat);
        continue;
      }
      const memory = process.memoryBytes ?? 0;
      this.memoryBytes += memory;
      if (memory > maxMemoryBytes * 1.5) {
        log.warn({ pid: process.pid, memory }, 'A browser exceeded its memory limit; replacing it');
        this.#forget(seat);
      } else if (memory > maxMemoryBytes) seat.isRetiring = true;
      if (performance.now() - process.startedAt > this.#options.maxMinutes * 60_000) seat.isRetiring = true;
      if (seat.renders.size === 0 && performance.now() - this.#lastUsed > idleMs) seat.isRetiring = true;
      this.#retireIfWorn(seat);
    }
  }

  #retireIfWorn(seat: Seat): void {
    if (seat.process && seat.process.pages >= this.#options.maxPages) seat.isRetiring = true;
    if (seat.isRetiring && seat.renders.size === 0) void this.#vacate(seat, 'close');
  }

  async #vacate(seat: Seat, how: 'close' | 'kill'): Promise<void> {
    const process = seat.process ?? (await seat.starting?.catch(() => undefined));
    if (!process) {
      seat.isRetiring = false;
      return;
    }
    seat.process = undefined;
    if (how === 'close') await process.close();
    else process.kill();
    seat.isRetiring = false;
    this.#options.onEnded(process.pid);
    if (!this.#isClosed) this.#serve();
  }

  #forget(seat: Seat): void {
    void this.#vacate(seat, 'kill');
  }
}

function emptySeat(): Seat {
  return { process: undefined, starting: undefined, renders: new Set(), isRetiring: false, isAlone: false };
}

function closed(): HoldfastError {
  return new HoldfastError('browser_unavailable', 'the browser host is ending');
}
