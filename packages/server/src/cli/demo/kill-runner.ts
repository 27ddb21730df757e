import { type Logger, pino } from 'pino';
import type { CrawlDisplay } from '../crawl/crawl-display.ts';
import type { CrawlView } from '../crawl/crawl-view.ts';
import { countOf } from '../format-values.ts';
import type { SampleSite } from './sample-site.ts';

export interface Kill {
  readonly at: Date;
  readonly pid: number;
  readonly committed: number;
  /** Paths of requests in flight. */
  readonly waiting: readonly string[];
}

/** Pages saved before the kill. */
const enoughPages = 70;

/** Shows a crawl, and kills its runner in the middle. */
export class CrashDisplay implements CrawlDisplay {
  readonly #display: CrawlDisplay;
  readonly #site: SampleSite;
  readonly #runner: RunnerWatch;
  #kill: Kill | undefined;

  constructor(display: CrawlDisplay, site: SampleSite, runner: RunnerWatch) {
    this.#display = display;
    this.#site = site;
    this.#runner = runner;
  }

  get kill(): Kill | undefined {
    return this.#kill;
  }

  get paint() {
    return this.#display.paint;
  }

  notice(text: string): void {
    this.#display.notice(text);
  }

  update(view: CrawlView): void {
    this.#display.update(view);
    const { pid } = this.#runner;
    const { waiting } = this.#site;
    if (this.#kill || pid === undefined || view.fetched < enoughPages || waiting.length === 0) return;
    process.kill(pid, 'SIGKILL');
    this.#kill = { at: new Date(), pid, committed: view.fetched, waiting };
    this.notice(
      this.paint(
        'red',
        `kill -9 ${pid}: killed the runner, with ${countOf(view.fetched, 'page')} saved and ${countOf(waiting.length, 'request')} in flight. These requests, and pages not saved yet, have to be repeated.`,
      ),
    );
  }

  end(): void {
    this.#display.end();
  }
}

/** Finds the process id of the runner in the log of the supervisor. */
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
