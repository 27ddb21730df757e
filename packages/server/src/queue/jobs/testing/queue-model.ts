import {
  allowedActions,
  type ErrorCode,
  errors,
  isLive,
  type JobRequest,
  type JobStatus,
  type TransitionName,
  terminalStatuses,
  type UserAction,
} from '@holdfast/contract';
import type { HeldJob, WriteOutcome } from '../held-job.ts';
import type { Lane } from '../lane.ts';
import type { Renewal } from '../renew-leases.ts';
import {
  type Between,
  type EventRecord,
  isBetween,
  type JobRecord,
  type Moment,
  second,
} from './job-record.ts';
import { enqueueInModel, type ModelAnswer, rerunInModel } from './model-enqueue.ts';

const day = 86_400;

/** Live workers according to their rows; all others are silent. */
export const liveWorkers: readonly string[] = ['w1'];

/** The end of a run when nothing was requested: transition, new status, other changes. */
interface RunEnd {
  readonly transition: TransitionName;
  readonly to: JobStatus;
  /** Recorded even when a request decides the status instead. */
  readonly change?: Partial<JobRecord>;
  /** Whether it burns a retry, unless a request decides the status instead. */
  readonly retry?: Partial<JobRecord>;
}

export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * An in-memory queue as the design documents describe it, for one user at a time. Written from
 * architecture.md ("Lifecycle", "Lease and fence") and requirements.md (R1–R13), not from the SQL, so that the two can
 * disagree.
 */
export class QueueModel {
  jobs: JobRecord[] = [];
  events: EventRecord[] = [];
  /** Every lease ever given, including lost ones. */
  readonly leases: HeldJob[] = [];
  now: Moment = 0;

  /** The job that changed last. */
  get latest(): JobRecord | undefined {
    return this.jobs.find(({ id }) => id === this.events.at(-1)?.job_id);
  }

  enqueue(requests: readonly JobRequest[], actor: string): ModelAnswer[] {
    return requests.map((request) => enqueueInModel(this, request, actor));
  }

  /**
   * Claims ready and due jobs, highest priority first, then oldest. Ready and waiting jobs are two branches; each offers a lane's
   * first `limit` in its own order, which for due jobs of one priority is their due time. Ties are resolved by what the database
   * `took`.
   */
  claim(
    lanes: readonly Lane[],
    limit: number,
    worker: string,
    actor: string,
    due = true,
    took: readonly string[] = [],
  ): JobRecord[] {
    const place = ({ id }: JobRecord) => (took.includes(id) ? took.indexOf(id) : took.length);
    const inOrder = (moment: (job: JobRecord) => Moment) => (a: JobRecord, b: JobRecord) =>
      b.priority - a.priority || moment(a) - moment(b) || place(a) - place(b);
    const offers = lanes.flatMap((lane) => {
      const jobs = this.jobs.filter((job) => job.kind === lane.kind && job.executor === lane.executor);
      const ready = jobs.filter((job) => job.status === 'pending' && job.run_at === null);
      const waited = due ? jobs.filter((job) => (dueAt(job) ?? Number.POSITIVE_INFINITY) <= this.now) : [];
      return [
        ...ready.sort(inOrder((job) => exact(job.created_at))).slice(0, limit),
        ...waited.sort(inOrder((job) => dueAt(job) ?? 0)).slice(0, limit),
      ].map((job) => ({ job, lane }));
    });
    const taken = offers
      .sort((a, b) => inOrder((job) => exact(job.created_at))(a.job, b.job))
      .slice(0, limit);
    for (const { job, lane } of taken) this.#lease(job, lane, worker, actor);
    return taken.map(({ job }) => job);
  }

  /** Claims this job regardless of its time and of other jobs; only another holder prevents it. */
  claimOne(job: JobRecord, lane: Lane, worker: string, actor: string): JobRecord[] {
    const waits = job.status === 'pending' || job.status === 'retryable';
    if (!waits || job.kind !== lane.kind || job.executor !== lane.executor) return [];
    this.#lease(job, lane, worker, actor);
    return [job];
  }

  #lease(job: JobRecord, lane: Lane, worker: string, actor: string): void {
    const from = job.status;
    const botLease = job.lock_ttl_seconds ?? job.timeout_seconds ?? lane.leaseSeconds;
    job.lease_seconds = job.executor === 'bot' ? botLease : lane.leaseSeconds;
    job.status = 'processing';
    job.fence += 1;
    job.worker_id = worker;
    job.started_at = this.now;
    job.last_heartbeat = this.now;
    job.lease_expires_at = this.now + job.lease_seconds * second;
    job.next_retry_at = null;
    this.record(job, 'claim', from, actor);
    this.leases.push({ id: job.id, fence: job.fence });
  }

  /** The fence alone decides, whether or not the lease has run out. A bot cannot renew past its run's deadline. */
  renew(held: HeldJob, progress?: number): Renewal {
    const job = this.#holding(held);
    if (!job) return 'lost';
    const lease = this.now + (job.lease_seconds ?? 0) * second;
    const deadline =
      job.executor === 'bot' && job.timeout_seconds !== null
        ? (job.started_at ?? 0) + job.timeout_seconds * second
        : Number.POSITIVE_INFINITY;
    job.lease_expires_at = Math.min(lease, deadline);
    job.last_heartbeat = this.now;
    job.progress_percentage = Math.max(job.progress_percentage, Math.min(progress ?? 0, 99));
    return job.requested_action ?? 'continue';
  }

  /** Wins over a late request, which stays visible. A repeated completion gets the first answer again. */
  complete(held: HeldJob, actor: string): WriteOutcome {
    const job = this.#holding(held);
    if (!job) {
      const before = this.jobs.find(({ id, fence }) => id === held.id && fence === held.fence);
      return before?.status === 'completed' ? 'completed' : 'lost';
    }
    Object.assign(job, { status: 'completed', completed_at: this.now, progress_percentage: 100 });
    Object.assign(job, { lease_expires_at: null, error_code: null, error_message: null });
    this.record(job, 'complete', 'processing', actor);
    return 'completed';
  }

  retryLater(held: HeldJob, error: RunError, waitSeconds: number | undefined, actor: string): WriteOutcome {
    return this.#write(held, actor, (job) => {
      const change = { run_at: null, failed_starts: 0, ...failure(error) };
      if (isSpent(job)) return { transition: 'retryLater', to: 'failed', change };
      const backoff = Math.min(job.retry_backoff_seconds * 2 ** job.retry_count, day);
      const next_retry_at: Between = {
        from: this.now + Math.max(backoff, waitSeconds ?? 0) * second,
        to: this.now + Math.max(backoff * 1.1, waitSeconds ?? 0) * second,
      };
      const retry = { retry_count: job.retry_count + 1, next_retry_at };
      return { transition: 'retryLater', to: 'retryable', change, retry };
    });
  }

  retryNow(held: HeldJob, error: RunError, actor: string): WriteOutcome {
    return this.#write(held, actor, (job) => againOrFailed('retryNow', job, error));
  }

  crash(held: HeldJob, error: RunError, actor: string): WriteOutcome {
    return this.#write(held, actor, (job) => {
      const end = againOrFailed('crash', job, error);
      return { ...end, change: { ...end.change, failed_starts: 0 } };
    });
  }

  /** Blames the worker until it happens on another one, or five times on the only one. */
  failStart(held: HeldJob, error: RunError, worker: string, actor: string): WriteOutcome {
    return this.#write(held, actor, (job) => {
      const { failed_starts: before, failed_start_worker: first } = job;
      const isSecond = before > 0 && first !== null && first !== worker && liveWorkers.includes(first);
      const isOnly = !liveWorkers.some((other) => other !== worker);
      const isBlamed = isSecond || (isOnly && before + 1 >= 5);
      const change = { run_at: null, ...failure(error) };
      const retry = { failed_starts: job.failed_starts + 1, failed_start_worker: worker };
      return { transition: 'failStart', to: isBlamed ? 'failed' : 'pending', change, retry };
    });
  }

  fail(held: HeldJob, error: RunError, actor: string): WriteOutcome {
    return this.#write(held, actor, () => ({ transition: 'fail', to: 'failed', change: failure(error) }));
  }

  release(held: HeldJob, notBeforeSeconds: number | undefined, actor: string): WriteOutcome {
    const run_at = notBeforeSeconds === undefined ? null : this.now + notBeforeSeconds * second;
    return this.#write(held, actor, () => ({ transition: 'release', to: 'pending', change: { run_at } }));
  }

  /** The watchdog's sweep. A bot's job passes through expired, and stays there when its retries are spent. */
  recover(actor: string): JobRecord[] {
    const ranOut = ({ status, lease_expires_at }: JobRecord) =>
      status === 'processing' && (lease_expires_at ?? 0) <= this.now;
    const stale = this.jobs.filter(ranOut);
    for (const job of stale) {
      const lost = isSpent(job) && !job.requested_action;
      const message = lost ? 'Job crashed and exceeded max retries' : 'Worker timed out';
      const end = againOrFailed('recover', job, { code: 'worker_timed_out', message });
      if (job.executor !== 'bot' || job.requested_action) this.#endRun(job, actor, end);
      else if (lost) this.#endRun(job, actor, { ...end, to: 'expired' });
      else {
        this.record(job, 'recover', 'processing', actor, 'expired');
        this.#endRun(job, actor, end, 'expired');
      }
    }
    return stale;
  }

  /** Already done or requested: nothing changes, and it is not an error. */
  isRepeated(action: UserAction, job: JobRecord): boolean {
    const { status, requested_action } = job;
    if (action === 'runNow') return status === 'pending' && !this.#isEarly(job);
    if (action !== 'pause' && action !== 'cancel') return false;
    return status === 'processing'
      ? requested_action === action
      : status === (action === 'pause' ? 'paused' : 'cancelled');
  }

  /** The error code of a user's action, if it would be refused. */
  refusal(action: UserAction, job: JobRecord): 'action_not_allowed' | 'live_job_exists' | undefined {
    const allowed = allowedActions(job.status, job.requested_action, job.kind, this.#isEarly(job));
    if (!allowed.includes(action)) return 'action_not_allowed';
    const isTwin = (other: JobRecord) =>
      other !== job &&
      other.user_id === job.user_id &&
      other.dedupe_key === job.dedupe_key &&
      isLive(other.status);
    if (action === 'retry' && job.dedupe_key !== null && this.jobs.some(isTwin)) return 'live_job_exists';
    return undefined;
  }

  /** Whether a retry runs it again as another job. */
  isRerun(action: UserAction, { kind, status }: JobRecord): boolean {
    return action === 'retry' && status === 'completed' && kind !== 'crawl';
  }

  rerun(job: JobRecord, actor: string): ModelAnswer | undefined {
    return rerunInModel(this, job, actor);
  }

  /** Performs a user's action. The caller has checked that it is allowed. */
  act(action: UserAction, job: JobRecord, actor: string, afresh = false): void {
    const from = job.status;
    if (action === 'resetLock') {
      job.fence += 1;
      this.#endRun(job, actor, { transition: 'resetLock', to: 'pending', change: { run_at: null } });
      return;
    }
    if (action === 'pause' || action === 'cancel') {
      if (from === 'processing') job.requested_action = action;
      else this.#leave(job, action === 'pause' ? 'paused' : 'cancelled');
    }
    if (action === 'runNow') {
      this.#leave(job, 'pending');
      job.run_at = null;
    }
    if (action === 'resume') {
      job.requested_action = null;
      if (from === 'paused') this.#leave(job, 'pending');
    }
    if (action === 'expire') {
      job.fence += 1;
      this.#leave(job, 'expired');
      const message = `${errors.expired_by_request.message} (${actor})`;
      Object.assign(job, { error_code: 'expired_by_request', error_message: message });
    }
    if (action === 'retry') {
      this.#leave(job, 'pending');
      Object.assign(job, {
        retry_count: 0,
        failed_starts: 0,
        run_at: null,
        error_code: null,
        error_message: null,
      });
      if (afresh) job.progress_percentage = 0;
    }
    this.record(job, action, from, actor);
  }

  prune(): number {
    const finished = this.jobs.filter((job) => !isLive(job.status));
    this.jobs = this.jobs.filter((job) => isLive(job.status));
    this.events = this.events.filter((event) => !finished.some(({ id }) => id === event.job_id));
    return finished.length;
  }

  record(
    job: JobRecord,
    transition: TransitionName,
    from: JobStatus | null,
    actor: string,
    to = job.status,
  ): void {
    const event_no = this.events.filter((event) => event.job_id === job.id).length + 1;
    this.events.push({
      job_id: job.id,
      event_no,
      transition,
      from_status: from,
      to_status: to,
      fence: job.fence,
      at: this.now,
      actor,
    });
  }

  #isEarly({ run_at }: JobRecord): boolean {
    return run_at !== null && run_at > this.now;
  }

  #holding({ id, fence }: HeldJob): JobRecord | undefined {
    return this.jobs.find((job) => job.id === id && job.fence === fence && job.status === 'processing');
  }

  #write(held: HeldJob, actor: string, end: (job: JobRecord) => RunEnd): WriteOutcome {
    const job = this.#holding(held);
    if (!job) return 'lost';
    this.#endRun(job, actor, end(job));
    return job.status;
  }

  /** A requested pause or cancel outlives every end of a run except completion, and burns no retry. */
  #endRun(job: JobRecord, actor: string, end: RunEnd, from: JobStatus = 'processing'): void {
    const requested = job.requested_action;
    this.#leave(job, requested === 'pause' ? 'paused' : requested === 'cancel' ? 'cancelled' : end.to);
    Object.assign(job, end.change, requested ? {} : end.retry);
    this.record(job, requested ?? end.transition, from, actor);
  }

  /** Fields that follow from the status: only running jobs have a lease, only finished ones an end and a last worker. */
  #leave(job: JobRecord, to: JobStatus): void {
    const finished = (terminalStatuses as readonly JobStatus[]).includes(to);
    job.status = to;
    job.lease_expires_at = null;
    job.next_retry_at = null;
    job.requested_action = null;
    job.completed_at = finished ? this.now : null;
    if (!finished) job.worker_id = null;
  }
}

const isSpent = (job: JobRecord) => job.retry_count >= job.max_retries;
const failure = ({ code, message }: RunError) => ({ error_code: code, error_message: message });
const exact = (moment: Moment | Between) => (isBetween(moment) ? moment.from : moment);

/** Ready again at once, or failed when the retries are spent; checked before the increment. */
function againOrFailed(transition: TransitionName, job: JobRecord, error: RunError): RunEnd {
  const change = { run_at: null, ...failure(error) };
  if (isSpent(job)) return { transition, to: 'failed', change };
  return { transition, to: 'pending', change, retry: { retry_count: job.retry_count + 1 } };
}

/** When a waiting job is due. */
function dueAt(job: JobRecord): Moment | null {
  if (job.status === 'retryable' && job.next_retry_at !== null) return exact(job.next_retry_at);
  return job.status === 'pending' ? job.run_at : null;
}
