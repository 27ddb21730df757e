import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../../packages/server/bin/holdfast.js', import.meta.url));

interface LogLine {
  readonly msg: string;
  readonly level?: number;
  readonly runner?: number;
}

/** `holdfast worker` as an operator starts it: supervisor, spare runner, and a runner process for each job. */
export class HoldfastWorker {
  readonly #child: ChildProcess;
  readonly #listeners = new Set<(line: LogLine) => void>();
  /** Of the runner that was given the last job. */
  runnerPid: number | undefined;

  readonly #quiet: boolean;

  private constructor(databaseUrl: string, allowPrivate: readonly string[], quiet: boolean, jobs: number) {
    this.#quiet = quiet;
    this.#child = spawn(process.execPath, [command, 'worker'], {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        HOLDFAST_ALLOW_PRIVATE: allowPrivate.join(','),
        HOLDFAST_LOG_FORMAT: 'json',
        MAX_CONCURRENT_JOBS: String(jobs),
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    if (!this.#child.stderr) throw new Error('no standard error');
    createInterface({ input: this.#child.stderr }).on('line', (line) => this.#hear(line));
  }

  /** `quiet`: its warnings are no news (its runners are to be killed). `jobs`: crawls that it runs at once. */
  static async start(
    databaseUrl: string,
    allowPrivate: readonly string[],
    { quiet = false, jobs = 4 } = {},
  ): Promise<HoldfastWorker> {
    const worker = new HoldfastWorker(databaseUrl, allowPrivate, quiet, jobs);
    await worker.says(/is ready/);
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when a line of its log matches. */
  says(text: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const exited = () => reject(new Error('the worker ended'));
      const listener = ({ msg }: LogLine) => {
        if (!text.test(msg)) return;
        this.#listeners.delete(listener);
        this.#child.off('exit', exited);
        resolve();
      };
      this.#listeners.add(listener);
      this.#child.once('exit', exited);
    });
  }

  /** The most memory that the last runner has had; undefined when it has ended. */
  get runnerPeakMb(): number | undefined {
    try {
      const status = readFileSync(`/proc/${this.runnerPid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1000;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }

  #hear(text: string): void {
    let line: LogLine = { msg: text, level: 50 };
    try {
      line = JSON.parse(text) as LogLine;
    } catch {
      // not a line of the log: what Node says
    }
    if ((line.level ?? 0) >= 40 && !this.#quiet) console.error(`  worker: ${text}`);
    // Other lines tell of runners that ended.
    if (line.msg === 'Running job') this.runnerPid = line.runner;
    for (const listener of this.#listeners) listener(line);
  }
}
