import { Deadline } from './deadline.ts';
import { followStream, type StreamOptions } from './follow-stream.ts';
import { Listing } from './listing.ts';
import type {
  BulkActOnJobsBody,
  BulkAnswer,
  Calls,
  CreatedJob,
  DeletedJob,
  FrontierSummary,
  Job,
  JobEvent,
  JobProgress,
  KeptText,
  ListedJob,
  ListedPage,
  ListJobsQuery,
  ListPagesQuery,
  NewBulkJob,
  NewJob,
  PageDiff,
  PageErrors,
  ShownJob,
  ShownPage,
} from './operations.ts';
import { randomKey } from './random-key.ts';
import { type ExportedPage, type ExportOptions, readExport } from './read-export.ts';
import type { CallOptions, Transport } from './transport.ts';

/** A message about one job. */
export type JobMessage =
  | {
      readonly type: 'transition';
      /** Pass it as `lastEventId` to resume. */
      readonly id: string;
      readonly data: JobEvent & { readonly job_id: string };
    }
  | { readonly type: 'progress'; readonly data: JobProgress };

type Reason = NonNullable<Calls['pauseJob']['body']>;

/** Actions whose target status can be verified. */
const isReached = {
  pauseJob: ({ status, requested_action }: Job) => status === 'paused' || requested_action === 'pause',
  resumeJob: ({ status, requested_action }: Job) => status !== 'paused' && requested_action !== 'pause',
  cancelJob: ({ status, requested_action }: Job) => status === 'cancelled' || requested_action === 'cancel',
};

export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a job, with an idempotency key, so that a lost response does not lead to a second job. */
  create(
    job: NewJob,
    { idempotencyKey = randomKey(), ...options }: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<CreatedJob> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#transport.call('createJob', { body: job, headers, repeatable: true }, options);
  }

  /** Creates up to 1,000 jobs, all or none. Responses are in the order of the requests. */
  async createMany(jobs: readonly NewBulkJob[], options?: CallOptions): Promise<CreatedJob[]> {
    if (jobs.length === 0) return [];
    const keyed = jobs.map((job) => ({ ...job, idempotency_key: job.idempotency_key ?? randomKey() }));
    const sent = { body: { jobs: keyed }, repeatable: true };
    return (await this.#transport.call('bulkCreateJobs', sent, options)).data;
  }

  /** Jobs, newest first. */
  list(query: ListJobsQuery = {}, options?: CallOptions): Listing<ListedJob> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listJobs', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<ShownJob> {
    return this.#transport.call('showJob', { path: { id } }, options);
  }

  /** Starts a job that waits for its start time, a retry or a host. A ready job is unchanged. */
  runNow(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.call('runNowJob', { path: { id }, body, repeatable: true }, options);
  }

  /** Pauses a job. A running one may still be `processing` in the response, with `requested_action`. */
  pause(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#aimAt('pauseJob', id, body, options);
  }

  resume(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#aimAt('resumeJob', id, body, options);
  }

  /** Cancels a job. A running one may still be `processing` in the response, with `requested_action`. */
  cancel(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#aimAt('cancelJob', id, body, options);
  }

  /** Retries a failed, cancelled or expired job, from its checkpoint or from the start. */
  retry(id: string, body: Calls['retryJob']['body'] = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.call('retryJob', { path: { id }, body }, options);
  }

  /** Takes a running job from its holder and marks it expired. */
  expire(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.call('expireJob', { path: { id }, body }, options);
  }

  /** Takes a running job from its holder. It becomes ready again and uses no retry. */
  resetLock(id: string, body: Reason = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.call('resetLockJob', { path: { id }, body }, options);
  }

  /** Retries failed and skipped pages of a finished crawl: all, or those with these hashes or reasons. */
  retryUrls(id: string, body: Calls['retryJobUrls']['body'] = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.call('retryJobUrls', { path: { id }, body }, options);
  }

  /** Deletes a job that has ended, with its pages and its timeline; results and price points only if asked. */
  delete(id: string, query: Calls['deleteJob']['query'] = {}, options?: CallOptions): Promise<DeletedJob> {
    return this.#transport.call('deleteJob', { path: { id }, query }, options);
  }

  /** Performs one action on many jobs, following the cursor until all are done. */
  async bulk(request: BulkActOnJobsBody, options?: CallOptions): Promise<BulkAnswer> {
    let answer = await this.#transport.call('bulkActOnJobs', { body: request }, options);
    const outcomes = { ...answer.outcomes };
    while (answer.next_cursor !== null) {
      const body = { ...request, cursor: answer.next_cursor };
      answer = await this.#transport.call('bulkActOnJobs', { body }, options);
      for (const name of Object.keys(outcomes) as (keyof typeof outcomes)[])
        outcomes[name] += answer.outcomes[name];
    }
    return { ...answer, outcomes };
  }

  /** The pages of a crawl, without their content. */
  pages(id: string, query: ListPagesQuery = {}, options?: CallOptions): Listing<ListedPage> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listPages', { path: { id }, query: { ...query, cursor } }, options),
    );
  }

  /** One page with its content; `hash` is the url_hash of a listed page. */
  page(id: string, hash: string, options?: CallOptions): Promise<ShownPage> {
    return this.#transport.call('showPage', { path: { id, hash } }, options);
  }

  pageMarkdown(id: string, hash: string, options?: CallOptions): Promise<string> {
    return this.#transport.call('downloadPageMarkdown', { path: { id, hash } }, options);
  }

  /** The raw HTML, if the crawl stored it. */
  pageHtml(id: string, hash: string, options?: CallOptions): Promise<string> {
    return this.#transport.call('downloadPageHtml', { path: { id, hash } }, options);
  }

  /** The screenshot as PNG, if the crawl took one. */
  async pageScreenshot(id: string, hash: string, options: CallOptions = {}): Promise<Uint8Array> {
    const deadline = new Deadline(options.signal);
    deadline.set(options.timeoutMs ?? 30_000);
    try {
      const answer = await this.#transport.open(
        'downloadPageScreenshot',
        { path: { id, hash } },
        deadline,
        'image/png',
      );
      return new Uint8Array(await deadline.within(answer.arrayBuffer()));
    } finally {
      deadline.clear();
    }
  }

  /** Streams all fetched pages of a crawl with their content. */
  exportPages(id: string, options: ExportOptions = {}): AsyncGenerator<ExportedPage, void, undefined> {
    return readExport(this.#transport, id, options);
  }

  /** The changes of a page since the baseline of its recrawl. */
  pageDiff(id: string, hash: string, options?: CallOptions): Promise<PageDiff> {
    return this.#transport.call('diffPage', { path: { id, hash } }, options);
  }

  /** Errors of a crawl by reason. */
  errors(id: string, options?: CallOptions): Promise<PageErrors> {
    return this.#transport.call('listErrors', { path: { id } }, options);
  }

  /** How much of the visible text of a crawl's pages became markdown, by host. */
  keptText(id: string, options?: CallOptions): Promise<KeptText> {
    return this.#transport.call('showKeptText', { path: { id } }, options);
  }

  /** The timeline of a job, oldest first. */
  events(id: string, query: Calls['listEvents']['query'] = {}, options?: CallOptions): Listing<JobEvent> {
    return new Listing((next) => {
      const cursor = next === undefined ? query.cursor : Number(next);
      return this.#transport.call('listEvents', { path: { id }, query: { ...query, cursor } }, options);
    });
  }

  /** Remaining URLs of a crawl by host. */
  frontier(
    id: string,
    query: Calls['showFrontier']['query'] = {},
    options?: CallOptions,
  ): Promise<FrontierSummary> {
    return this.#transport.call('showFrontier', { path: { id }, query }, options);
  }

  progress(id: string, options?: CallOptions): Promise<JobProgress> {
    return this.#transport.call('showProgress', { path: { id } }, options);
  }

  /**
   * Streams a job: its events from the first (or after `lastEventId`), without gaps or duplicates across reconnects;
   * and its progress, at the start and on every change.
   */
  async *stream(id: string, options: StreamOptions = {}): AsyncGenerator<JobMessage, never, undefined> {
    for await (const message of followStream(this.#transport, 'streamJob', { path: { id } }, options)) {
      const data = JSON.parse(message.data);
      if (message.event === 'transition') yield { type: 'transition', id: message.id, data };
      if (message.event === 'progress') yield { type: 'progress', data };
    }
    throw new Error('a stream has no end');
  }

  /**
   * Safe to repeat without a response: if the repetition is refused because the first took effect, that is not an
   * error.
   */
  async #aimAt(name: keyof typeof isReached, id: string, body: Reason, options?: CallOptions): Promise<Job> {
    const settle = async () => {
      const { crawl: _, ...job } = await this.get(id, options);
      return isReached[name](job) ? job : undefined;
    };
    return this.#transport.call(name, { path: { id }, body, repeatable: true, settle }, options);
  }
}
