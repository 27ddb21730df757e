import { isDeepStrictEqual } from 'node:util';
import { isLegalMove, transitions } from '@holdfast/contract';
import type pg from 'pg';
import { expect } from 'vitest';
import type { Queryable } from '../../../base/database/statement.ts';
import { type EventRecord, isBetween, type JobRecord, type Moment, momentColumns } from './job-record.ts';
import type { QueueModel } from './queue-model.ts';

const micros = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint AS ${column}`;

const jobsText = `
SELECT id, kind, executor, status, requested_action, priority, progress_percentage, retry_count, max_retries,
  failed_starts, failed_start_worker,
  retry_backoff_seconds, timeout_seconds, lock_ttl_seconds, lease_seconds, fence, worker_id, user_id, dedupe_key,
  idempotency_key, rerun_of, error_code, error_message, coalesce(payload ->> 'url', 'query') AS url, event_count,
  ${momentColumns.map(micros).join(', ')}
FROM crawl_jobs ORDER BY id`;

const eventsText = `
SELECT job_id, event_no, transition, from_status, to_status, fence, ${micros('at')}, actor, reason
FROM job_events ORDER BY job_events.job_id, event_no`;

const beginText = 'BEGIN; SELECT (extract(epoch FROM now()) * 1000000)::bigint AS now';

const shiftText = `
WITH event AS (UPDATE job_events SET at = at - make_interval(secs => $1))
UPDATE crawl_jobs SET ${momentColumns.map((column) => `${column} = ${column} - make_interval(secs => $1)`).join(', ')}`;

type ObservedJob = JobRecord & { event_count: number };
type ObservedEvent = EventRecord & { reason: string | null };

/** The queue in PostgreSQL, observed through one connection. */
export class ObservedQueue {
  readonly #client: pg.PoolClient;
  /** Every `transition from to` that was seen. */
  readonly moves = new Set<string>();
  readonly #checked = new Set<string>();

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async empty(): Promise<void> {
    await this.#client.query('TRUNCATE crawl_jobs, job_events CASCADE');
  }

  /** Runs an action in a transaction, so that the database's now() is known exactly. */
  async at<Answer>(action: (db: Queryable, now: Moment) => Promise<Answer>): Promise<Answer> {
    const [, { rows }] = (await this.#client.query(beginText)) as unknown as [
      unknown,
      pg.QueryResult<{ now: Moment }>,
    ];
    try {
      const answer = await action(this.#client, rows[0]?.now ?? 0);
      await this.#client.query('COMMIT');
      return answer;
    } catch (error) {
      await this.#client.query('ROLLBACK');
      throw error;
    }
  }

  /** Lets time pass by moving every timestamp into the past. */
  async pass(seconds: number): Promise<void> {
    await this.#client.query(shiftText, [seconds]);
  }

  /** Compares rows and timelines with the model, and resolves times that the model knew only within bounds. */
  async expectToEqual(model: QueueModel): Promise<void> {
    const [{ rows: jobs }, { rows: events }] = await Promise.all([
      this.#client.query<ObservedJob>(jobsText),
      this.#client.query<ObservedEvent>(eventsText),
    ]);
    for (const job of jobs) settle(model, job);
    expectEqual(
      jobs.map(({ event_count, ...job }) => job),
      model.jobs,
    );
    expectEqual(
      events.map(({ reason, ...event }) => event),
      timelines(model),
    );
    for (const event of events) this.#check(event);
    for (const job of jobs) checkTimeline(job, events);
  }

  #check({ transition, from_status, to_status, actor }: ObservedEvent): void {
    const move = `${transition}: ${from_status} → ${to_status}`;
    const role = actor.split(':')[0];
    if (this.#checked.has(`${move} by ${role}`)) return;
    expect(isLegalMove(transition, from_status, to_status), move).toBe(true);
    expect(transitions[transition].by).toContain(role);
    this.moves.add(move);
    this.#checked.add(`${move} by ${role}`);
  }
}

/** Faster than vitest's comparison; nearly always there is no difference to show. */
function expectEqual(observed: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(observed, expected)) expect(observed).toEqual(expected);
}

function settle(model: QueueModel, observed: ObservedJob): void {
  const expected = model.jobs.find(({ id }) => id === observed.id);
  if (!expected) return;
  for (const column of ['created_at', 'next_retry_at'] as const) {
    const bounds = expected[column];
    const moment = observed[column] as Moment | null;
    if (isBetween(bounds) && moment !== null && moment >= bounds.from && moment <= bounds.to)
      expected[column] = moment;
  }
}

function timelines(model: QueueModel): EventRecord[] {
  return model.events.toSorted((a, b) =>
    a.job_id === b.job_id ? a.event_no - b.event_no : a.job_id < b.job_id ? -1 : 1,
  );
}

/** The timeline has no gaps, ends in the job's status, and records requests that came too late. */
function checkTimeline(job: ObservedJob, all: ObservedEvent[]): void {
  const events = all.filter((event) => event.job_id === job.id);
  const last = events.at(-1);
  const tooLate = job.requested_action ? `the request to ${job.requested_action} came too late` : null;
  expectEqual(
    {
      numbers: events.map((event) => event.event_no),
      count: job.event_count,
      status: last?.to_status,
      fence: last?.fence,
      reason: job.status === 'completed' ? last?.reason : null,
    },
    {
      numbers: events.map((_, index) => index + 1),
      count: events.length,
      status: job.status,
      fence: job.fence,
      reason: job.status === 'completed' ? tooLate : null,
    },
  );
}
