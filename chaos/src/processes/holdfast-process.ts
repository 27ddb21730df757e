import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../until.ts';

export interface LogLine {
  readonly msg: string;
  readonly level?: number;
  readonly job?: string;
  readonly fence?: number;
  readonly runner?: number;
  /** When it was read, by the monotonic clock. */
  readonly at?: number;
}

const running = new Set<ChildProcess>();
// Whatever ends us, nothing of ours stays behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A command of ours as a person runs it: a process of its own, with its log lines kept. */
export class HoldfastProcess {
  readonly lines: LogLine[] = [];
  readonly startedAt = performance.now();
  readonly name: string;
  /** Set before we end it ourselves: any other end is a crash. */
  isExpected = false;
  readonly #process: ChildProcess;

  /** `program`: a copy of the bundle, where it is not the one that was built. */
  constructor(
    root: string,
    args: readonly string[],
    env: Record<string, string>,
    program = join(root, 'packages/server/dist/holdfast.js'),
  ) {
    this.name = env.WORKER_ID ?? args.join(' ');
    const { DATABASE_URL: _, ...inherited } = process.env;
    // Not by way of bin/holdfast.js, which looks for newer sources each time: what is run was built before, and stays as it is.
    this.#process = spawn(process.execPath, [program, ...args], {
      env: { ...inherited, HOLDFAST_LOG_FORMAT: 'json', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(this.#process);
    this.#process.once('exit', () => running.delete(this.#process));
    if (!this.#process.stderr) throw new Error('no standard error');
    createInterface({ input: this.#process.stderr }).on('line', (line) => this.#read(line));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async says(text: RegExp): Promise<LogLine> {
    await until(
      `${text} of process ${this.pid}`,
      () => this.lines.some(({ msg }) => text.test(msg)) || this.hasExited,
    );
    const line = this.lines.find(({ msg }) => text.test(msg));
    if (!line) throw new Error(`process ${this.pid} ended: ${this.lines.at(-1)?.msg}`);
    return line;
  }

  signal(name: NodeJS.Signals): void {
    if (name === 'SIGKILL' || name === 'SIGTERM') this.isExpected = true;
    this.#process.kill(name);
  }

  async end(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasExited) return;
    this.signal(name);
    await once(this.#process, 'exit');
  }

  #read(line: string): void {
    if (process.env.CHAOS_LOG) process.stderr.write(`${this.pid} ${line}\n`);
    try {
      this.lines.push({ ...JSON.parse(line), at: performance.now() });
    } catch {
      this.lines.push({ msg: line });
    }
  }
}
