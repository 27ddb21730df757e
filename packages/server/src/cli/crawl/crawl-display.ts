import { type Paint, paintFor } from '../terminal-text.ts';
import type { CrawlView } from './crawl-view.ts';
import { CrawlRate, progressLines, progressText } from './progress-text.ts';

/** Shows progress on stderr; stdout is for the result. */
export interface CrawlDisplay {
  readonly paint: Paint;
  /** Prints a line that stays. */
  notice(text: string): void;
  update(view: CrawlView): void;
  /** Removes the progress. */
  end(): void;
}

export function openDisplay({ quiet }: { quiet: boolean }): CrawlDisplay {
  const { stderr } = process;
  if (quiet) return { paint: paintFor(stderr), notice() {}, update() {}, end() {} };
  return stderr.isTTY && process.env.TERM !== 'dumb' ? new LiveDisplay() : new LineDisplay();
}

/** For a terminal: progress lines, redrawn below the lines that stay. */
class LiveDisplay implements CrawlDisplay {
  readonly paint = paintFor(process.stderr);
  readonly #rate = new CrawlRate();
  readonly #write = process.stderr.write;
  #drawn = 0;
  #lines: string[] = [];

  constructor() {
    // Other output, such as that of a runner, goes above the progress.
    process.stderr.write = ((...args: Parameters<typeof process.stderr.write>) => {
      this.#clear();
      const answer = this.#write.apply(process.stderr, args);
      if (String(args[0]).endsWith('\n')) this.#draw();
      return answer;
    }) as typeof process.stderr.write;
    process.once('exit', this.#leave);
  }

  notice(text: string): void {
    this.#clear();
    this.#put(`${text}\n`);
    this.#draw();
  }

  update(view: CrawlView): void {
    this.#rate.add(view);
    this.#lines = progressLines(view, this.#rate, process.stderr.columns || 80, this.paint);
    this.#clear();
    this.#draw();
  }

  end(): void {
    this.#clear();
    this.#lines = [];
    process.stderr.write = this.#write;
    process.off('exit', this.#leave);
  }

  /** After a second Ctrl-C, the prompt of the shell starts below the progress. */
  readonly #leave = () => this.#put('\n');

  #clear(): void {
    if (this.#drawn > 0) this.#put(`\r${this.#drawn > 1 ? `\u001b[${this.#drawn - 1}A` : ''}\u001b[J`);
    this.#drawn = 0;
  }

  #draw(): void {
    if (this.#lines.length === 0) return;
    this.#put(this.#lines.join('\n'));
    this.#drawn = this.#lines.length;
  }

  #put(text: string): void {
    this.#write.call(process.stderr, text);
  }
}

const everyMs = 3_000;

/** For a file or a pipe: a line every few seconds. */
class LineDisplay implements CrawlDisplay {
  readonly paint = paintFor(process.stderr);
  readonly #rate = new CrawlRate();
  #nextAt = performance.now() + everyMs;

  notice(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  update(view: CrawlView): void {
    this.#rate.add(view);
    if (performance.now() < this.#nextAt) return;
    this.#nextAt = performance.now() + everyMs;
    this.notice(progressText(view, this.#rate));
  }

  end(): void {}
}
