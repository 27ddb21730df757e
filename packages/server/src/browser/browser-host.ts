import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Configuration, settings } from '@holdfast/contract';
import type { Logger } from 'pino';
import { publish } from '../base/telemetry/metrics-channel.ts';
import { killGroup } from './process-group.ts';
import type { HostReport, HostSettings } from './render-messages.ts';

export interface BrowserHostOptions {
  /** The bundled host. */
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly configuration: Configuration;
  readonly log: Logger;
}

/** A host that has said nothing for so long hangs. It says something every second. */
const silentMs = 15_000;

/** A host that dies within this time after its start is not restarted for the same time. */
const settledMs = 5_000;

/**
 * A supervisor's browser host. It starts when a runner first needs it and restarts when it dies. Browsers are killed by
 * process group, so that none outlives host and supervisor.
 */
export class BrowserHost {
  readonly socket: string;
  readonly #options: BrowserHostOptions;
  readonly #folder: string;
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #heardAt = 0;
  #isClosed = false;

  constructor(options: BrowserHostOptions) {
    this.#options = options;
    this.#folder = join(tmpdir(), `holdfast-browser-${randomBytes(8).toString('hex')}`);
    this.socket = join(this.#folder, 'socket', 'host');
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the host, unless it is running or has just failed to start. */
  need(): void {
    if (this.#child || this.#isClosed || performance.now() - this.#startedAt < settledMs) return;
    this.#startedAt = performance.now();
    const { program, env, log } = this.#options;
    this.#makeFolder();
    const child = fork(program, [JSON.stringify(this.#settings)], {
      // It stores nothing and needs no secret.
      env: { ...env, [settings.secretKey.env]: undefined },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Chromium has its own memory; the host only passes pages on.
      execArgv: ['--max-old-space-size=1024'],
    });
    this.#child = child;
    this.#heardAt = performance.now();
    const watch = setInterval(() => this.#endIfSilent(child), silentMs / 5).unref();
    child.on('message', (message) => this.#hear(message as HostReport));
    child.once('error', (error) => log.warn({ err: error }, 'The browser host could not be started'));
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      if (this.#child === child) this.#child = undefined;
      this.#killBrowsers();
      if (!this.#isClosed)
        log.warn({ pid: child.pid, code, signal }, 'The browser host exited; it restarts when it is needed');
    });
  }

  /** At once: its pages are retried by the next run. */
  close(): void {
    this.#isClosed = true;
    this.#child?.kill('SIGKILL');
    this.#killBrowsers();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #makeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    // The browser's account needs access to its profile; the socket is private to this account.
    mkdirSync(this.#folder, { mode: 0o711 });
    chmodSync(this.#folder, 0o711);
    mkdirSync(dirname(this.socket), { mode: 0o700 });
  }

  get #settings(): HostSettings {
    const { browsers, browserPages, browserMemoryMb, browserRecyclePages, browserRecycleMinutes } =
      this.#options.configuration;
    return {
      socket: this.socket,
      folder: this.#folder,
      browsers: browsers || Math.max(1, Math.floor(availableParallelism() / 2)),
      pagesAtOnce: browserPages,
      maxPages: browserRecyclePages,
      maxMinutes: browserRecycleMinutes,
      maxMemoryBytes: browserMemoryMb * 1024 * 1024,
      idleMs: 60_000,
    };
  }

  /** Its runners learn of its end by their connections, and try their pages again. */
  #endIfSilent(child: ChildProcess): void {
    if (performance.now() - this.#heardAt < silentMs) return;
    this.#options.log.warn({ pid: child.pid }, 'The browser host hangs; it is replaced');
    child.kill('SIGKILL');
  }

  #hear(message: HostReport): void {
    this.#heardAt = performance.now();
    if (message.type === 'started') {
      this.#groups.add(message.pid);
      publish('browserStart', {});
    }
    if (message.type === 'ended') this.#groups.delete(message.pid);
    if (message.type === 'render') publish('render', message.event);
    if (message.type === 'status') publish('browsers', message.browsers);
  }

  #killBrowsers(): void {
    for (const pid of this.#groups) killGroup(pid);
    this.#groups.clear();
    publish('browsers', { running: 0, memoryBytes: 0, waiting: 0 });
  }
}
