import { type Logger, pino } from 'pino';

/** Reads the supervisor's own log for the process id of the runner it gave the job to. */
export class RunnerWatch {
  readonly log: Logger;
  #pid: number | undefined;

  constructor() {
    this.log = pino({ level: 'info' }, { write: (line) => this.#read(line) });
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  #read(line: string): void {
    const { runner } = JSON.parse(line) as { runner?: unknown };
    if (typeof runner === 'number') this.#pid = runner;
  }
}
