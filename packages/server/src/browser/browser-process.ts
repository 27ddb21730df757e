import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import type { Browser, BrowserType, CDPSession } from 'playwright-core';
import { browserAccount } from './browser-account.ts';
import { groupMemory, killGroup } from './process-group.ts';

export interface BrowserProcessOptions {
  /** The browser. */
  readonly program: string;
  /** Private to this host; contains the browser's profile and launcher. */
  readonly folder: string;
  readonly chromium: BrowserType;
  readonly onStarted?: (pid: number) => void;
}

/** Killed, or out of memory: another one may live. */
export class BrowserDied extends HoldfastError {
  constructor(cause?: unknown) {
    super('render_failed', 'the browser died', { cause });
  }
}

const launchMs = 30_000;
const closeMs = 2_000;

/** No UDP: WebRTC, QUIC and DNS would bypass the proxy, which resolves names. */
const args = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-features=WebRtcHideLocalIpsWithMdns,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
  '--dns-prefetch-disable',
  '--no-pings',
];

/** One browser and its process group. */
export class BrowserProcess {
  readonly browser: Browser;
  readonly pid: number;
  readonly startedAt = performance.now();
  pages = 0;
  readonly #folder: string;
  /** By performance.now(); undefined while it is not asked. */
  #askedAt: number | undefined;
  #line: Promise<CDPSession> | undefined;

  private constructor(browser: Browser, pid: number, folder: string) {
    this.browser = browser;
    this.pid = pid;
    this.#folder = folder;
  }

  /** Fails with `browser_unavailable`, with the reason and what to do. */
  static async start(options: BrowserProcessOptions, number: number): Promise<BrowserProcess> {
    const account = browserAccount(options.program);
    if ('refused' in account) throw new HoldfastError('browser_unavailable', account.refused);
    const folder = join(options.folder, `browser-${number}`);
    const profile = join(folder, 'profile');
    const pidFile = join(folder, 'pid');
    mkdirSync(profile, { recursive: true, mode: 0o700 });
    chmodSync(options.folder, 0o711);
    chmodSync(folder, 0o711);
    if (account.uid !== undefined) chownSync(profile, account.uid, account.gid ?? account.uid);
    const launcher = join(folder, 'launch.sh');
    const command = [...account.prefix, options.program].map(quoted).join(' ');
    // Our own launcher reports the process group and drops root.
    writeFileSync(
      launcher,
      [
        '#!/bin/sh',
        `echo $$ > ${quoted(pidFile)}`,
        `HOME=${quoted(profile)} TMPDIR=${quoted(profile)}`,
        'export HOME TMPDIR',
        `exec ${command} "$@" --user-data-dir=${quoted(profile)}`,
        '',
      ].join('\n'),
      { mode: 0o700 },
    );
    const pid = () => Number(readFileSync(pidFile, 'utf8'));
    try {
      const browser = await options.chromium.launch({
        executablePath: launcher,
        chromiumSandbox: true,
        args,
        // The server's environment contains secrets that the browser must not see.
        env: { PATH: process.env.PATH ?? '', LANG: process.env.LANG ?? 'C.UTF-8' },
        proxy: { server: 'http://127.0.0.1:9', bypass: '<-loopback>' },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        timeout: launchMs,
      });
      options.onStarted?.(pid());
      return new BrowserProcess(browser, pid(), folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      const { name, message } = error as Error;
      if (name === 'TimeoutError' || /signal=SIG(KILL|TERM|SEGV|BUS|ILL)/.test(message))
        throw new BrowserDied(error);
      throw new HoldfastError('browser_unavailable', startFailure(error as Error), { cause: error });
    }
  }

  get isAlive(): boolean {
    return this.browser.isConnected();
  }

  get memoryBytes(): number | undefined {
    return groupMemory(this.pid);
  }

  /** How long it has owed an answer. Asks it anew where it owes none. */
  get silentMs(): number {
    if (this.#askedAt !== undefined) return performance.now() - this.#askedAt;
    this.#askedAt = performance.now();
    this.#line ??= this.browser.newBrowserCDPSession();
    void this.#line
      .then((line) => line.send('Browser.getVersion'))
      .catch(() => undefined)
      .then(() => {
        this.#askedAt = undefined;
      });
    return 0;
  }

  async close(): Promise<void> {
    const closed = this.browser.close().catch(() => undefined);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    this.kill();
  }

  /** At once, without a clean shutdown. */
  kill(): void {
    killGroup(this.pid);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function startFailure({ message }: Error): string {
  if (/No usable sandbox/.test(message))
    return 'its sandbox needs user namespaces, which this system does not allow; see docs/security.md';
  const missing = /error while loading shared libraries: (\S+):/.exec(message)?.[1];
  if (missing) return `${missing} is missing; install the libraries of Chromium`;
  const line = message.split('\n').find((text) => /\b(error|ERROR|FATAL|failed)\b/i.test(text));
  return (line ?? message.split('\n', 1)[0] ?? 'it did not start').trim().slice(0, 300);
}
