import { CrawlRate } from './crawl-rate.ts';
import type { CrawlView } from './crawl-view.ts';
import { type Paint, paintFor } from './paint.ts';
import { progressLines, progressText } from './progress-text.ts';

/** Shows on stderr how a crawl goes, so that standard output stays for what is asked for. */
export interface CrawlDisplay {
  readonly paint: Paint;
  /** Something worth a line that stays. */
  notice(text: string): void;
  update(view: CrawlView): void;
  /** Nothing more will change; what was shown for the moment goes. */
  end(): void;
}

export function openDisplay({ quiet }: { quiet: boolean }): CrawlDisplay {
  const { stderr } = process;
  if (quiet) return { paint: paintFor(stderr), notice() {}, update() {}, end() {} };
  return stderr.isTTY && process.env.TERM !== 'dumb' ? new LiveDisplay() : new LineDisplay();
}

/** On a terminal: lines that are drawn over and over, below those that stay. */
class LiveDisplay implements CrawlDisplay {
  readonly paint = paintFor(process.stderr);
  readonly #rate = new CrawlRate();
  readonly #write = process.stderr.write;
  #drawn = 0;
  #lines: string[] = [];

  constructor() {
    // What anybody else writes meanwhile (a runner's last words) comes above our lines, not into them.
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

  /** Ended at once, by a second Ctrl-C: the shell's prompt belongs below our lines. */
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

/** Into a file or a pipe: a line every few seconds. */
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
