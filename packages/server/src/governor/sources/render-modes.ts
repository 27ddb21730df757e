import type { RenderMode } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hostPatterns } from './open-sources.ts';

interface SourceMode {
  readonly hosts: readonly string[];
  readonly render: RenderMode;
}

const readStatement = statement<SourceMode>(
  'read-render-modes',
  'SELECT hosts, render FROM sources WHERE render IS NOT NULL AND configured',
);

const freshMs = 30_000;

/** The render setting of a host's source. Few sources have one, so all are read at once. */
export class RenderModes {
  readonly #db: Queryable;
  #modes = new Map<string, RenderMode>();
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async of(host: string): Promise<RenderMode> {
    if (performance.now() - this.#readAt > freshMs) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    if (this.#modes.size === 0) return 'auto';
    const pattern = hostPatterns(host).find((each) => this.#modes.has(each));
    return (pattern !== undefined && this.#modes.get(pattern)) || 'auto';
  }

  async #read(): Promise<void> {
    try {
      const rows = await run(this.#db, readStatement, []);
      this.#modes = new Map(
        rows.flatMap(({ hosts, render }) => hosts.map((host) => [host, render] as const)),
      );
    } catch {
      // While the database is down, the last known settings apply.
    }
    this.#readAt = performance.now();
  }
}
