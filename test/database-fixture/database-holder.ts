import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

export interface HolderAnswer {
  readonly started?: string;
  readonly describe?: string;
  readonly port?: number;
  readonly failed?: string;
  readonly error?: string;
  readonly message?: string;
  readonly hint?: string;
}

export interface HolderOptions {
  /** Another copy of the program. */
  readonly program?: string;
  /** In a process group of its own, as a terminal gives to the program in the foreground. */
  readonly foreground?: boolean;
}

/** A process that has a database open, with the environment of a command. */
export class DatabaseHolder {
  readonly process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(env: Record<string, string>, options: HolderOptions = {}) {
    const { DATABASE_URL: _, ...inherited } = process.env;
    this.process = spawn(process.execPath, [options.program ?? inject('holderProgram')], {
      env: { ...inherited, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: options.foreground ?? false,
    });
    if (!this.process.stdout) throw new Error('the holder has no standard output');
    this.#answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** The next line of the program; the first one comes when the database is open, or could not be opened. */
  async answer(): Promise<HolderAnswer> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the holder ended without an answer');
    return JSON.parse(value) as HolderAnswer;
  }

  async ask(command: 'look' | 'close'): Promise<HolderAnswer> {
    this.process.stdin?.write(`${command}\n`);
    return await this.answer();
  }

  /** Resolves when the process has ended by itself. */
  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
  }

  async close(): Promise<void> {
    await this.ask('close');
    await this.ended();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }
}
