import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { holdfastProgram, startHoldfast } from '../command-line/run-holdfast.ts';
import { freePair } from '../operations/free-port.ts';
import { root } from './markdown-files.ts';

/** What stands for what a command before has printed: the id that it made, or the token. */
const placeholders: readonly { word: string; made: RegExp; printed: RegExp }[] = [
  { word: 'JOB', made: /holdfast (jobs create|crawl)/, printed: /[0-9a-f]{8}-[0-9a-f-]{27}/ },
  { word: 'JOB', made: /crawl\/pull/, printed: /(?<="job_id":")[^"]+/ },
  { word: 'LEASE', made: /crawl\/pull/, printed: /(?<="lease_token":")[^"]+/ },
  { word: 'ID', made: /holdfast jobs create/, printed: /[0-9a-f]{8}-[0-9a-f-]{27}/ },
  { word: 'POLICY', made: /holdfast policies create/, printed: /[0-9a-f]{8}-[0-9a-f-]{27}/ },
  { word: 'INTAKE', made: /holdfast intakes create/, printed: /[0-9a-f]{8}-[0-9a-f-]{27}/ },
  { word: 'TOKEN', made: /holdfast bots create/, printed: /hf_[\w-]+/ },
];

export interface ReaderOptions {
  /** In the commands, this is written instead of that. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Somebody who types what a page says, in an empty folder, with `holdfast up` in another terminal. */
export class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-reader-'));
  #env: Record<string, string>;
  #exported: string[] = [];
  readonly #instead: Record<string, string>;
  readonly #known = new Map<string, string>();
  #up: ChildProcess | undefined;
  #key = '';
  address = '';

  constructor({ instead = {}, env = {} }: ReaderOptions = {}) {
    chmodSync(this.folder, 0o755); // the embedded server may run under another account
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    // What npx finds in a clone.
    const isHoldfast = `if [ "$1" = holdfast ]; then shift; exec "${process.execPath}" "${holdfastProgram}" "$@"; fi`;
    writeFileSync(
      join(bin, 'npx'),
      `#!/bin/sh\n${isHoldfast}\nprogram="${join(root, 'node_modules/.bin')}/$1"; shift; exec "$program" "$@"\n`,
    );
    chmodSync(join(bin, 'npx'), 0o755);
    symlinkSync(join(root, 'examples'), join(this.folder, 'examples'));
    const { DATABASE_URL: _, ...inherited } = process.env as Record<string, string>;
    this.#env = { ...inherited, ...env, PATH: `${bin}:${env.PATH ?? process.env.PATH}` };
    this.#instead = { ...instead };
  }

  /** `holdfast up`, on a port of its own; the sample site has the next one. */
  async up(): Promise<void> {
    if (this.#up) return;
    const port = await freePair();
    this.#up = startHoldfast(['up', '--port', String(port)], this.#env, this.folder);
    this.address = `http://127.0.0.1:${port}`;
    Object.assign(this.#instead, {
      '127.0.0.1:7070': `127.0.0.1:${port}`,
      '127.0.0.1:7071': `127.0.0.1:${port + 1}`,
    });
    this.#up.stderr?.resume();
    if (!this.#up.stdout) throw new Error('no standard output');
    for await (const line of createInterface({ input: this.#up.stdout })) {
      this.#key = /hf_[\w-]+/.exec(line)?.[0] ?? '';
      if (this.#key) break;
    }
    if (!this.#key) throw new Error('`holdfast up` printed no key');
    this.#env.KEY = this.#key;
  }

  /** What was exported in the one before is not known here. */
  openTerminal(): void {
    const isKept = ([name]: [string, string]) => !this.#exported.includes(name);
    this.#env = Object.fromEntries(Object.entries(this.#env).filter(isKept));
    this.#exported = [];
  }

  /** Types a command. Throws unless it ends well. */
  async type(command: string): Promise<string> {
    if (command === 'npm ci') return ''; // there is one installation, which other tests use
    if (command === 'npm start') {
      await this.up();
      return '';
    }
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(this.#filledIn(command)) ?? [];
    if (name && value) {
      this.#env[name] = value;
      this.#exported.push(name);
      return '';
    }
    if (/\b(JOB|INTAKE)\b/.test(command)) await this.#finished();
    const text = this.#filledIn(command);
    const printed = await new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', text], { cwd: this.folder, env: this.#env }, (error, stdout, stderr) =>
        error ? reject(new Error(`${text}\n${stdout}${stderr}`)) : resolve(stdout),
      );
    });
    // Whoever gets an error from curl has been answered all the same.
    if (text.startsWith('curl') && /"error"/.test(printed)) throw new Error(`${text}\n${printed}`);
    for (const { word, made, printed: looks } of placeholders) {
      const [found] = (made.test(command) && looks.exec(printed)) || [];
      if (found) this.#known.set(word, found);
    }
    return printed;
  }

  async get(path: string): Promise<unknown> {
    const response = await fetch(this.address + path, { headers: { authorization: `Bearer ${this.#key}` } });
    return await response.json();
  }

  async leave(): Promise<void> {
    if (this.#up && this.#up.exitCode === null) {
      this.#up.kill('SIGTERM');
      await once(this.#up, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #filledIn(command: string): string {
    let text = command;
    for (const [found, instead] of Object.entries(this.#instead)) text = text.replaceAll(found, instead);
    for (const [word, value] of this.#known)
      text = text.replaceAll(new RegExp(`\\b(?<!\\$)${word}\\b`, 'g'), value);
    return text;
  }

  /** People read on while a job runs; nobody exports it in the same second. Jobs for bots wait for theirs. */
  async #finished(): Promise<void> {
    for (;;) {
      const { data: jobs } = (await this.get('/api/v1/jobs?limit=100')) as {
        data?: { status: string; executor: string }[];
      };
      if (!jobs) throw new Error('the list of jobs was not answered');
      const live = jobs.filter(
        (job) => ['pending', 'processing'].includes(job.status) && job.executor !== 'bot',
      );
      if (live.length === 0) return;
      await delay(50);
    }
  }
}
