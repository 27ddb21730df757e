import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosRun } from '../fault.ts';
import type { ApiAnswer, ApiProcess } from '../processes/api-process.ts';

/** What a bot may be told while the database is away, or when it comes too late. */
const expected = [429, 503];
const refusals = ['lock_expired', 'job_not_locked', 'not_assigned'];

/** Bots that go on for as long as they are let: most do their work, some forget it, some submit twice. */
export class BotFleet {
  submitted = 0;
  forgotten = 0;
  readonly #run: ChaosRun;
  readonly #api: ApiProcess;
  #isStopped = false;
  #working: Promise<void>[] = [];

  constructor(run: ChaosRun, api: ApiProcess) {
    this.#run = run;
    this.#api = api;
  }

  start(count: number): void {
    this.#working = Array.from({ length: count }, (_, n) => this.#work(`bot-${n}`));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#working);
  }

  async #work(bot_id: string): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.#ask('/api/crawl/pull/', { bot_id, max_jobs: 5 });
      const jobs: { job_id: string; lease_token: string }[] = answer?.body?.data?.jobs ?? [];
      if (jobs.length === 0) await delay(500);
      for (const { job_id, lease_token } of jobs) {
        if (this.#run.random.isTrue(0.05)) {
          this.forgotten++;
          continue;
        }
        const result = { bot_id, job_id, lease_token, success: true, price: 9.99, currency: 'EUR' };
        const repeats = this.#run.random.isTrue(0.1) ? 2 : 1;
        for (let n = 0; n < repeats; n++) await this.#ask('/api/crawl/submit/', result);
        this.submitted++;
      }
    }
  }

  async #ask(path: string, body: object): Promise<ApiAnswer | undefined> {
    try {
      const answer = await this.#api.post(path, body);
      const { status } = answer;
      if (status < 300 || expected.includes(status) || refusals.includes(answer.body?.error)) return answer;
      this.#run.blame(`${path} was answered with ${status} ${JSON.stringify(answer.body)}`);
    } catch (error) {
      this.#run.blame(`${path} was not answered: ${(error as Error).message}`);
    }
    return undefined;
  }
}
