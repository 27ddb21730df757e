import type { RunnerProcess } from './runner-process.ts';

/** A runner started ahead of the next job. One that dies waiting is replaced with the next job. */
export class SpareRunner {
  readonly #spawn: () => RunnerProcess;
  #process: RunnerProcess | undefined;

  constructor(spawn: () => RunnerProcess) {
    this.#spawn = spawn;
  }

  keep(): void {
    if (this.#process) return;
    const spare = this.#spawn();
    this.#process = spare;
    void spare.exited.then(() => {
      if (this.#process === spare) this.#process = undefined;
    });
  }

  /** Not one that was given another URL: the embedded database may have come back on another port. */
  take(databaseUrl: string): RunnerProcess | undefined {
    const spare = this.#process;
    this.#process = undefined;
    if (!spare || spare.databaseUrl === databaseUrl) return spare;
    spare.kill('runner_crashed', 'its database has moved');
    return undefined;
  }

  kill(why: string): void {
    this.#process?.kill('runner_crashed', why);
  }
}
