import type { Queryable } from '../../base/database/statement.ts';
import { asCalled } from '../../base/process/installation.ts';
import { type JobEvent, listEvents } from '../../queue/jobs/find-jobs.ts';
import { printable } from '../print-table.ts';
import type { CrawlDisplay } from './crawl-display.ts';
import { plainError } from './plain-error.ts';

/** Tells what happens to a job while somebody watches: deaths and recoveries, retries, others' hands. */
export class TellEvents {
  readonly #db: Queryable;
  readonly #jobId: string;
  readonly #self: string;
  #last: number;

  /** Events up to `last` are old news. */
  constructor(db: Queryable, jobId: string, workerId: string, last: number) {
    this.#db = db;
    this.#jobId = jobId;
    this.#self = `supervisor:${workerId}`;
    this.#last = last;
  }

  async tell(display: CrawlDisplay): Promise<void> {
    for (const event of await listEvents(this.#db, this.#jobId, this.#last)) {
      this.#last = event.event_no;
      const text = this.#textOf(event);
      if (text) display.notice(display.paint('yellow', printable(text)));
    }
  }

  #textOf({ transition, to_status, actor, ...event }: JobEvent): string | undefined {
    // The code is for programs: "runner_crashed: The runner process died: SIGKILL".
    const reason = event.reason && plainError(event.reason.replace(/^[a-z_]+: /, ''));
    const isOurs = actor === this.#self;
    const then = to_status === 'failed' ? 'the retries are spent' : 'going on from the last checkpoint';
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
        return to_status === 'failed' ? undefined : `${reason ?? 'A passing error'}; trying again.`;
      case 'release':
        if (isOurs && reason?.startsWith('every host'))
          return asCalled(
            'Every host that is left is blocked for now: it failed too often, or asked for time. Waiting. `holdfast sources list --blocked` tells which and until when, `holdfast sources resume ID` ends the wait.',
          );
        return isOurs ? undefined : `${actor.replace('supervisor:', 'Worker ')} let go of it.`;
      default:
        return undefined;
    }
  }
}
