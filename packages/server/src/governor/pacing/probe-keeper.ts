import { randomUUID } from 'node:crypto';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from '../sources/source-state.ts';
import type { DatabaseLink } from './database-link.ts';

/** How often a worker without the probe tries to claim it. */
const againMs = 1_000;

interface Probe {
  readonly token: string;
  readonly from: number;
  readonly until: number;
}

/** `neither`: the probe is inconclusive (not sent, refused by us) and free for the next worker. */
export type ProbeResult = 'success' | 'failure' | 'neither';

/** The source that is probed. */
interface ProbedSource {
  readonly id: string;
  learn(state: SourceState, sentAt: number): void;
  learnWritten(state: SourceState | undefined): void;
  wake(): void;
}

/** The one request that tests whether a source has recovered. It is claimed in the database, so that only one worker sends it. */
export class ProbeKeeper {
  readonly #link: DatabaseLink;
  readonly #source: ProbedSource;
  readonly #ttlMs: number;
  #probe: Probe | undefined;
  #claiming = false;
  #askAt = 0;

  constructor(link: DatabaseLink, source: ProbedSource, ttlMs: number) {
    this.#link = link;
    this.#source = source;
    this.#ttlMs = ttlMs;
  }

  /** When the probe may start, as far as known. Claims it if necessary. */
  next(now: number): number {
    if (this.#probe && now >= this.#probe.until) this.#probe = undefined;
    if (this.#probe) return this.#probe.from;
    if (!this.#claiming && now >= this.#askAt) void this.#claim();
    return Math.max(this.#askAt, now + 1);
  }

  wakeAt(): number {
    return this.#probe?.from ?? (this.#claiming ? Number.POSITIVE_INFINITY : this.#askAt);
  }

  take(): string {
    const token = this.#probe?.token;
    this.#probe = undefined;
    if (!token) throw new Error('the probe was not claimed');
    return token;
  }

  /** Releases an unused probe for another worker. */
  async giveUp(): Promise<void> {
    if (this.#probe) await this.settle(this.take(), 'neither', 0);
  }

  async settle(token: string, result: ProbeResult, pauseSeconds: number): Promise<void> {
    const heard = await this.#link.ask((db) => settleProbe(db, this.#source.id, token, result, pauseSeconds));
    this.#source.learnWritten(heard?.rows[0]);
  }

  async #claim(): Promise<void> {
    this.#claiming = true;
    const token = randomUUID();
    const heard = await this.#link.ask((db) => claimProbe(db, this.#source.id, token, this.#ttlMs));
    this.#claiming = false;
    this.#askAt = this.#link.now() + againMs;
    const answer = heard?.rows[0];
    if (heard && answer?.claimed) {
      const from = this.#link.clock.latest(answer.first_ms);
      this.#probe = { token, from, until: heard.sentAt + this.#ttlMs };
    }
    if (heard && answer) this.#source.learn(answer, heard.sentAt);
    this.#source.wake();
  }
}

interface ProbeAnswer extends SourceState {
  /** false: another worker has the probe, it is too early, or the breaker is closed. */
  readonly claimed: boolean;
  /** The earliest start: the probe keeps to the limit too. */
  readonly first_ms: number;
}

const claimStatement = statement<ProbeAnswer>(
  'claim-probe',
  `
WITH claimed AS (
  UPDATE sources source SET probe_by = $2, probe_until = now() + make_interval(secs => $3::float8 / 1000)
  WHERE id = $1 AND enabled AND pause_reason = 'failures' AND paused_until <= now()
    AND (probe_until IS NULL OR probe_until <= now())
  RETURNING source
),
slot AS (
  UPDATE source_slots slot
  SET next_slot_at = greatest(slot.next_slot_at, clock_timestamp()) + make_interval(secs => interval_ms / 1000)
  FROM claimed CROSS JOIN LATERAL source_state(claimed.source) state WHERE slot.source_id = state.source_id
  RETURNING epoch_ms(slot.next_slot_at) - interval_ms AS first_ms
)
SELECT ${stateColumns}, slot.first_ms IS NOT NULL AS claimed, coalesce(slot.first_ms, 0) AS first_ms
FROM sources source CROSS JOIN LATERAL source_state(source) state LEFT JOIN slot ON true WHERE source.id = $1`,
);

/** Claims the probe of a source whose pause for failures is over. The claim lapses if it is not settled in time. */
export async function claimProbe(
  db: Queryable,
  sourceId: string,
  token: string,
  ttlMs: number,
): Promise<ProbeAnswer | undefined> {
  const [answer] = await run(db, claimStatement, [sourceId, token, ttlMs]);
  return answer;
}

const settleStatement = statement<SourceState>(
  'settle-probe',
  `
WITH settled AS (
  UPDATE sources source SET
    probe_by = NULL, probe_until = NULL,
    failure_streak = CASE $3 WHEN 'success' THEN 0 WHEN 'failure' THEN failure_streak + 1 ELSE failure_streak END,
    last_success_at = CASE $3 WHEN 'success' THEN now() ELSE last_success_at END,
    last_failure_at = CASE $3 WHEN 'failure' THEN now() ELSE last_failure_at END,
    failed_urls = CASE $3 WHEN 'success' THEN 0 ELSE failed_urls END,
    paused_until = CASE $3 WHEN 'success' THEN NULL
      WHEN 'failure' THEN now() + make_interval(secs => $4::float8) ELSE paused_until END,
    pause_reason = CASE $3 WHEN 'success' THEN NULL ELSE pause_reason END
  WHERE id = $1 AND probe_by = $2 AND pause_reason = 'failures'
  RETURNING source
)
SELECT ${stateColumns} FROM settled CROSS JOIN LATERAL source_state(settled.source) state`,
);

/** Closes the breaker, or opens it again. Changes nothing if the claim lapsed and another worker has the probe. */
export async function settleProbe(
  db: Queryable,
  sourceId: string,
  token: string,
  result: ProbeResult,
  pauseSeconds: number,
): Promise<SourceState | undefined> {
  const [state] = await run(db, settleStatement, [sourceId, token, result, pauseSeconds]);
  return state;
}
