import type { Queryable } from '../../base/database/statement.ts';
import { assertNotDeleted } from '../../queue/jobs/find-jobs.ts';
import { readPages } from '../stored/read-pages.ts';
import type { PageOutput } from './page-output.ts';

/** Pages between saves; what a dying process loses is written again. */
const saveEvery = 100;

/** Copies the committed pages of a job to its output while the job runs. Reads by page number, so none comes twice. */
export class PageExporter {
  readonly #db: Queryable;
  readonly #jobId: string;
  readonly #output: PageOutput;
  readonly #skips: ((url: string) => Promise<boolean>) | undefined;
  #skipped = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(db: Queryable, jobId: string, output: PageOutput, skips?: (url: string) => Promise<boolean>) {
    this.#db = db;
    this.#jobId = jobId;
    this.#output = output;
    this.#skips = skips;
  }

  /** Pages that were left out. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Set once the output cannot be written any more. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Starts to copy new pages, unless a copy is under way. */
  wake(): void {
    if (this.#running || this.#failure) return;
    this.#running = this.#copy()
      .catch((error) => {
        // A database that is away comes back; an unusable output does not.
        const { code = '' } = error as { code?: string };
        if (['output_unusable', 'output_failed'].includes(code)) this.#failure = { error };
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Copies everything committed by now and closes the output. `settled`: links between its pages are resolved first. */
  async finish(complete: boolean, settled = complete): Promise<void> {
    await this.#running;
    if (this.#failure) throw this.#failure.error;
    await this.#copy();
    await assertNotDeleted(this.#db, this.#jobId);
    if (settled) await this.#output.settle?.(this.#db);
    await this.#output.close(complete);
  }

  async #copy(): Promise<void> {
    const { pageNo, wants } = this.#output;
    for await (const page of readPages(this.#db, this.#jobId, { after: pageNo, ...wants })) {
      if (await this.#skips?.(page.url)) {
        this.#skipped++;
        continue;
      }
      await this.#output.add(page);
      if (page.page_no % saveEvery === 0) await this.#output.save();
    }
    await this.#output.save();
  }
}
