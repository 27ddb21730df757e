import type { Queryable } from '../../base/database/statement.ts';
import { asCalled } from '../../base/process/installation.ts';
import { type JobEvent, listEvents } from '../../queue/jobs/find-jobs.ts';
import { printable } from '../terminal-text.ts';
import type { CrawlDisplay } from './crawl-display.ts';
import { explainError } from './explain-reason.ts';

/** Prints what happens to a job during a crawl: crashes, recoveries, retries, actions of others. */
export class EventNotices {
  readonly #db: Queryable;
  readonly #jobId: string;
  readonly #self: string;
  #last: number;

  /** Events up to `last` are not printed. */
  constructor(db: Queryable, jobId: string, workerId: string, last: number) {
    this.#db = db;
    this.#jobId = jobId;
    this.#self = `supervisor:${workerId}`;
    this.#last = last;
  }

  async print(display: CrawlDisplay): Promise<void> {
    for (const event of await listEvents(this.#db, this.#jobId, this.#last)) {
      this.#last = event.event_no;
      const text = this.#textOf(event);
      if (text) display.notice(display.paint('yellow', printable(text)));
    }
  }

  #textOf({ transition, to_status, actor, ...event }: JobEvent): string | undefined {
    // The code is for programs: "runner_crashed: The runner process died: SIGKILL".
    const reason = event.reason && explainError(event.reason.replace(/^[a-z_]+: /, ''));
    const isOurs = actor === this.#self;
    const then = to_status === 'failed' ? 'no retries are left' : 'continuing from the last checkpoint';
    switch (transition) {
      case 'crash':
        return `${reason ?? 'The runner died'}; ${then}.`;
      case 'failStart':
        return to_status === 'failed'
          ? undefined
          : `${reason ?? 'The runner died before its first request'}.`;
      case 'recover':
        return `${reason ?? 'Its worker died'}; ${then}.`;
      case 'retryLater':
        return to_status === 'failed' ? undefined : `${reason ?? 'A transient error'}; retrying.`;
      case 'release':
        if (isOurs && reason?.startsWith('every host'))
          return asCalled(
            'All remaining hosts are blocked: they failed too often, or asked to wait (Retry-After). `holdfast sources list --blocked` shows them, `holdfast sources resume ID` ends the wait.',
          );
        return isOurs ? undefined : `${actor.replace('supervisor:', 'Worker ')} released the job.`;
      default:
        return undefined;
    }
  }
}
