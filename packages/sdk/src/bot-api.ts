import type { HeartbeatAnswer, PullAnswer, SubmitAnswer, SubmitBatchAnswer } from './operations.ts';
import { randomKey } from './random-key.ts';
import { type Submission, submissionText } from './submission-text.ts';
import { type CallOptions, type ConnectionOptions, Transport } from './transport.ts';

export interface BotApiOptions extends Omit<ConnectionOptions, 'apiKey'> {
  readonly token: string;
  readonly botId: string;
}

export type PulledJob = PullAnswer['data']['jobs'][number];
export type Submitted = SubmitAnswer['data'];

export interface PullOptions extends CallOptions {
  /** 1 to 100; default 10. */
  readonly maxJobs?: number | undefined;
  /** Only jobs of this host and its subdomains. */
  readonly domain?: string | undefined;
  /** A repeated pull with the same key returns the same jobs. */
  readonly idempotencyKey?: string | undefined;
}

export interface Pulled {
  readonly jobs: PulledJob[];
  /** Matching jobs that other bots hold. */
  readonly skipped: number;
  /** The server's time of the response, for comparison with locked_until. */
  readonly at: number;
}

/** The bot API, one method per call; `Bot` is built on it. Every call can be repeated safely. */
export class BotApi {
  readonly #transport: Transport;
  readonly #botId: string;

  constructor({ token, botId, ...options }: BotApiOptions) {
    this.#transport = new Transport({ ...options, apiKey: token });
    this.#botId = botId;
  }

  async pull({ maxJobs, domain, idempotencyKey, ...options }: PullOptions = {}): Promise<Pulled> {
    const body = { bot_id: this.#botId, max_jobs: maxJobs, domain };
    const headers = { 'idempotency-key': idempotencyKey ?? randomKey() };
    const answer = await this.#transport.ask('pullJobs', { body, headers, repeatable: true }, options);
    const { jobs, skipped } = answer.value.data;
    return { jobs, skipped, at: serverTime(answer.headers) };
  }

  /** Submits a result or a failure. With its lease_token, a repeated submit gets the same response as the first. */
  async submit(submission: Submission, options?: CallOptions): Promise<Submitted> {
    const json = submissionText({ bot_id: this.#botId, ...submission });
    return (await this.#transport.call('submitResult', { json, repeatable: true }, options)).data;
  }

  /** Submits up to 100 at once; each gets its own response, in order. */
  async submitBatch(
    submissions: readonly Submission[],
    options?: CallOptions,
  ): Promise<SubmitBatchAnswer['data']> {
    const items = submissions.map((submission) => submissionText(submission)).join(',');
    const json = `{"bot_id":${JSON.stringify(this.#botId)},"items":[${items}]}`;
    return (await this.#transport.call('submitResults', { json, repeatable: true }, options)).data;
  }

  /** Renews the lock on a job and returns what the bot should do. */
  async heartbeat(
    { job_id, lease_token }: Pick<PulledJob, 'job_id' | 'lease_token'>,
    options?: CallOptions,
  ): Promise<HeartbeatAnswer['data'] & { readonly at: number }> {
    const body = { bot_id: this.#botId, job_id, lease_token };
    const answer = await this.#transport.ask('extendLock', { body, repeatable: true }, options);
    return { ...answer.value.data, at: serverTime(answer.headers) };
  }
}

function serverTime(headers: Headers): number {
  const told = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(told) ? Date.now() : told;
}
