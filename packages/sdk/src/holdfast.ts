import { Bots } from './bots.ts';
import { Events } from './events.ts';
import { Jobs } from './jobs.ts';
import { Keys } from './keys.ts';
import type { ShownJob } from './operations.ts';
import { Pages } from './pages.ts';
import { Policies } from './policies.ts';
import { Results } from './results.ts';
import { Sources } from './sources.ts';
import { type ConnectionOptions, Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';
import { Workers } from './workers.ts';

/** The API of Holdfast. */
export class Holdfast {
  readonly jobs: Jobs;
  readonly events: Events;
  readonly pages: Pages;
  readonly policies: Policies;
  readonly results: Results;
  readonly sources: Sources;
  readonly bots: Bots;
  readonly workers: Workers;
  readonly keys: Keys;

  constructor(options: ConnectionOptions) {
    const transport = new Transport(options);
    this.jobs = new Jobs(transport);
    this.events = new Events(transport);
    this.pages = new Pages(transport);
    this.policies = new Policies(transport);
    this.results = new Results(transport);
    this.sources = new Sources(transport);
    this.bots = new Bots(transport);
    this.workers = new Workers(transport);
    this.keys = new Keys(transport);
  }

  /** Resolves with the job when it has ended: completed, failed, cancelled or expired. */
  waitFor(job: string | { readonly id: string }, options?: WaitOptions): Promise<ShownJob> {
    return waitFor(this.jobs, typeof job === 'string' ? job : job.id, options);
  }
}
