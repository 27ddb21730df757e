import type { CrawlDisplay } from '../crawl/crawl-display.ts';
import type { CrawlView } from '../crawl/crawl-view.ts';
import { countOf } from '../format-values.ts';
import type { RunnerWatch } from './runner-watch.ts';
import type { SampleSite } from './sample-site.ts';

export interface Kill {
  readonly at: Date;
  readonly pid: number;
  readonly committed: number;
  /** The paths that the site had been asked for and had not answered yet. */
  readonly waiting: readonly string[];
}

const enough = 70;

/** Shows a crawl like any other display, and kills its runner in the middle. */
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
    if (this.#kill || pid === undefined || view.fetched < enough || waiting.length === 0) return;
    process.kill(pid, 'SIGKILL');
    this.#kill = { at: new Date(), pid, committed: view.fetched, waiting };
    this.notice(
      this.paint(
        'red',
        `kill -9 ${pid}: the runner, with ${countOf(view.fetched, 'page')} saved and ${countOf(waiting.length, 'request')} not answered yet. These, and pages answered and not yet saved, must be asked for again.`,
      ),
    );
  }

  end(): void {
    this.#display.end();
  }
}
