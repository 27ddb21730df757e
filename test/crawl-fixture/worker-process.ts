import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { startHoldfast } from '../command-line/run-holdfast.ts';

interface LogLine {
  readonly msg: string;
  readonly job?: string;
  readonly runner?: number;
}

/** `holdfast worker` as a process of its own, with short times and its log lines kept. */
export class WorkerProcess {
  readonly lines: LogLine[] = [];
  readonly #process: ChildProcess;

  constructor(databaseUrl: string, env: Record<string, string> = {}) {
    this.#process = startHoldfast(['worker'], {
      DATABASE_URL: databaseUrl,
      HOLDFAST_LEASE_SECONDS: '4',
      HOLDFAST_HEARTBEAT_SECONDS: '0.4',
      HOLDFAST_WATCHDOG_SECONDS: '0.4',
      HOLDFAST_LOG_FORMAT: 'json',
      ...env,
    });
    if (!this.#process.stderr) throw new Error('no standard error');
    createInterface({ input: this.#process.stderr }).on('line', (line) => {
      try {
        this.lines.push(JSON.parse(line));
      } catch {
        this.lines.push({ msg: line });
      }
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Pid of the runner that was started last. */
  get runnerPid(): number | undefined {
    return this.lines.findLast(({ msg }) => msg === 'Running job')?.runner;
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async saying(text: string | RegExp): Promise<void> {
    const says = ({ msg }: LogLine) => (typeof text === 'string' ? msg.startsWith(text) : text.test(msg));
    await vi.waitUntil(() => this.lines.some(says), { timeout: 40_000, interval: 10 });
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasExited) return;
    this.#process.kill(signal);
    await once(this.#process, 'exit');
  }
}

/** Ends one process by its id, if it is still there. */
export function killProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it was gone already
  }
}
