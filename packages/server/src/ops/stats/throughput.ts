import { liveStatuses, type MinuteOfJobs, type Stats } from '@holdfast/contract';
import { type Queryable, readNow, run, statement } from '../../base/database/statement.ts';

/** Maximum events per read. */
const scanLimit = 20_000;
const minuteMs = 60_000;
const minutes = 60;
/** Events have the time at which their transaction began; after this long nearly all are visible. */
const settledMs = minuteMs;
/** A minute with too many events is estimated from one of these fractions. */
const parts = [1, 10, 100, 1000];

const live = liveStatuses.map((status) => `'${status}'`).join(', ');
/** A job enters when it is created or run again, and leaves when its last run ends. */
const comesIn = `to_status IN (${live}) AND (from_status IS NULL OR from_status NOT IN (${live}))`;
const leaves = `from_status IN (${live}) AND to_status NOT IN (${live})`;

type MinuteRow = Omit<MinuteOfJobs, 'precision'> & { readonly events: number };

export const minutesStatement = statement<MinuteRow>(
  'count-events-by-minute',
  `
SELECT date_trunc('minute', at) AS minute, count(*) AS events, count(*) FILTER (WHERE transition = 'enqueue') AS created,
  count(*) FILTER (WHERE transition = 'claim') AS started, count(*) FILTER (WHERE to_status = 'completed') AS completed,
  count(*) FILTER (WHERE to_status IN ('failed', 'expired')) AS failed,
  count(*) FILTER (WHERE transition IN ('retryLater', 'retryNow', 'crash', 'recover')
    AND to_status IN ('pending', 'retryable')) AS retried,
  count(*) FILTER (WHERE ${comesIn}) - count(*) FILTER (WHERE ${leaves}) AS more
FROM (
  SELECT at, transition, from_status, to_status FROM job_events WHERE at >= $1 AND at < $2 LIMIT ${scanLimit + 1}
) event GROUP BY 1`,
);

/**
 * Events of the last hour by the minute. A past minute is counted once and kept. A busy hour is counted in parts, newest first,
 * so that no call takes long.
 */
export class Throughput {
  readonly #db: Queryable;
  readonly #kept = new Map<number, MinuteOfJobs>();
  /** Minutes counted per call. */
  #stride = minutes;
  /** Index of the fraction that could be counted last time. */
  #part = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async read(): Promise<Stats['throughput']> {
    const now = await readNow(this.#db);
    const start = startOfHour(now);
    const recent = Math.max(start, minuteOf(new Date(now.getTime() - settledMs)));
    for (const minute of this.#kept.keys()) if (minute < start) this.#kept.delete(minute);
    await this.#countOlder(start, recent);
    const rows = await this.#countRecent(recent, minuteOf(now) + minuteMs);
    const older = [...rangeOf(start, recent)].flatMap((minute) => this.#kept.get(minute) ?? []);
    return { minutes: [...older, ...rows], complete: older.length === (recent - start) / minuteMs };
  }

  /** Counts some of the past minutes that are not counted yet, newest first. */
  async #countOlder(start: number, end: number): Promise<void> {
    const missing = [...rangeOf(start, end)].filter((minute) => !this.#kept.has(minute));
    const last = missing.at(-1);
    if (last === undefined) return;
    const from = Math.max(last - (this.#stride - 1) * minuteMs, missing[0] ?? last);
    const rows = await this.#count(from, last + minuteMs);
    if (rows) {
      for (const row of rows) this.#kept.set(row.minute.getTime(), row);
      this.#stride = Math.min(minutes, this.#stride * 2);
    } else if (this.#stride > 1) {
      this.#stride = Math.max(1, Math.floor(this.#stride / 4));
    } else {
      this.#kept.set(last, await this.#estimate(last));
    }
  }

  async #countRecent(from: number, to: number): Promise<MinuteOfJobs[]> {
    const rows = await this.#count(from, to);
    if (rows) return rows;
    const estimates: MinuteOfJobs[] = [];
    for (const minute of rangeOf(from, to)) estimates.push(await this.#estimate(minute));
    return estimates;
  }

  /** Undefined: too many events. */
  async #count(from: number, to: number): Promise<MinuteOfJobs[] | undefined> {
    const found = await run(this.#db, minutesStatement, [new Date(from), new Date(to)]);
    if (found.reduce((sum, { events }) => sum + events, 0) > scanLimit) return undefined;
    return fill(
      found.map(({ events: _, ...row }) => ({ ...row, precision: 'exact' })),
      from,
      to,
    );
  }

  /** Estimates a minute from the largest fraction at its start that can be counted. */
  async #estimate(minute: number): Promise<MinuteOfJobs> {
    for (let index = Math.max(0, this.#part - 1); index < parts.length; index++) {
      const part = parts[index] ?? 1;
      const [row] = (await this.#count(minute, minute + minuteMs / part)) ?? [];
      if (!row) continue;
      this.#part = index;
      if (part === 1) return row;
      const { minute: at, precision: _, ...counts } = row;
      const scaled = Object.entries(counts).map(([name, count]) => [name, count * part]);
      return { minute: at, ...(Object.fromEntries(scaled) as typeof counts), precision: 'estimate' };
    }
    return emptyMinute(minute);
  }
}

/** The last hour, with zeros for minutes without a row. */
export function fillHour(rows: readonly MinuteOfJobs[], now: Date): MinuteOfJobs[] {
  return fill(rows, startOfHour(now), minuteOf(now) + minuteMs);
}

export function startOfHour(now: Date): number {
  return minuteOf(now) - (minutes - 1) * minuteMs;
}

function fill(rows: readonly MinuteOfJobs[], from: number, to: number): MinuteOfJobs[] {
  const byMinute = new Map(rows.map((row) => [row.minute.getTime(), row]));
  return [...rangeOf(from, to)].map((minute) => byMinute.get(minute) ?? emptyMinute(minute));
}

function minuteOf(time: Date): number {
  return Math.floor(time.getTime() / minuteMs) * minuteMs;
}

function* rangeOf(from: number, to: number): Generator<number> {
  for (let minute = from; minute < to; minute += minuteMs) yield minute;
}

function emptyMinute(minute: number): MinuteOfJobs {
  return {
    minute: new Date(minute),
    created: 0,
    started: 0,
    completed: 0,
    failed: 0,
    retried: 0,
    more: 0,
    precision: 'exact',
  };
}
