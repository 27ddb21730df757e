/**
 * The life of a job, stated once. The SQL checks, the API's `allowed_actions`, the console's buttons and the diagram
 * in docs/lifecycle.md are derived from these tables or held to them by tests.
 */

export const jobStatuses = [
  'pending',
  'processing',
  'retryable',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Statuses of jobs that still have work ahead; a dedupe key, a policy, an (intake, source) has one such job at most. */
export const liveStatuses = ['pending', 'processing', 'retryable', 'paused'] as const satisfies JobStatus[];
export const terminalStatuses = [
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const satisfies JobStatus[];

export const jobKinds = ['crawl', 'visit', 'collect'] as const;
export type JobKind = (typeof jobKinds)[number];

/** Who runs a job: Holdfast\'s runners, or a bot over HTTP. Each side claims only its own. */
export const executors = ['builtin', 'bot'] as const;
export type Executor = (typeof executors)[number];

/** What a user may ask of a running job; its holder acts on it at the next renewal. Cancel overrides pause. */
export const requestedActions = ['pause', 'cancel'] as const;
export type RequestedAction = (typeof requestedActions)[number];

export const actorRoles = ['user', 'scheduler', 'supervisor', 'bot', 'watchdog'] as const;
export type ActorRole = (typeof actorRoles)[number];

export interface Transition {
  /** Every change of status this transition may make. A `null` origin means that the job is created. */
  readonly moves: readonly Move[];
  /** The roles that may make it. */
  readonly by: readonly ActorRole[];
  /** A fenced transition matches the holder's fence: a holder that lost its lease changes nothing. */
  readonly fenced: boolean;
  /** The transition ends the lease by raising the fence, so that the holder finds out at its next write. */
  readonly raisesFence?: true;
  /** One more of max_retries is used up (not when a requested pause or cancel takes effect instead). */
  readonly burnsRetry?: true;
  readonly meaning: string;
}
export type Move = readonly [from: JobStatus | null, to: JobStatus];

const holder: readonly ActorRole[] = ['supervisor', 'bot'];

export const transitions = {
  enqueue: {
    moves: [[null, 'pending']],
    by: ['user', 'scheduler'],
    fenced: false,
    meaning: 'the job is created',
  },
  claim: {
    moves: [
      ['pending', 'processing'],
      ['retryable', 'processing'],
    ],
    by: holder,
    fenced: false,
    raisesFence: true,
    meaning: 'a holder takes a ready job and gets a lease with a new fence',
  },
  complete: {
    moves: [['processing', 'completed']],
    by: holder,
    fenced: true,
    meaning: 'the work is done; overrides a pending pause or cancel',
  },
  retryLater: {
    moves: [
      ['processing', 'retryable'],
      ['processing', 'failed'],
    ],
    by: holder,
    fenced: true,
    burnsRetry: true,
    meaning: 'a transient error: retry after a backoff, or fail if no retries are left',
  },
  retryNow: {
    moves: [
      ['processing', 'pending'],
      ['processing', 'failed'],
    ],
    by: ['bot'],
    fenced: true,
    burnsRetry: true,
    meaning: 'a bot reported a failure: retry at once, or fail if no retries are left',
  },
  fail: {
    moves: [['processing', 'failed']],
    by: holder,
    fenced: true,
    meaning: 'a permanent error',
  },
  release: {
    moves: [['processing', 'pending']],
    by: holder,
    fenced: true,
    meaning: 'the holder returns the unfinished job (drain, blocked source); no retry is used',
  },
  crash: {
    moves: [
      ['processing', 'pending'],
      ['processing', 'failed'],
    ],
    by: ['supervisor'],
    fenced: true,
    burnsRetry: true,
    meaning: 'the runner died: retry at once, or fail if no retries are left',
  },
  failStart: {
    moves: [
      ['processing', 'pending'],
      ['processing', 'failed'],
    ],
    by: ['supervisor'],
    fenced: true,
    meaning:
      'the runner died before its first request: ready again at once, and no retry is used; failed if that happened on two workers, or five times on the only one',
  },
  recover: {
    moves: [
      ['processing', 'pending'],
      ['processing', 'failed'],
      ['processing', 'expired'],
      ['expired', 'pending'],
    ],
    by: ['watchdog'],
    fenced: false,
    burnsRetry: true,
    meaning: 'the lease expired; a job held by a bot passes through expired',
  },
  pause: {
    moves: [
      ['pending', 'paused'],
      ['retryable', 'paused'],
      ['processing', 'processing'],
      ['processing', 'paused'],
    ],
    by: ['user', 'supervisor', 'bot', 'watchdog'],
    fenced: false,
    meaning: 'stop for now; a running job is paused once its holder has stopped',
  },
  resume: {
    moves: [
      ['paused', 'pending'],
      ['processing', 'processing'],
    ],
    by: ['user'],
    fenced: false,
    meaning: 'continue from the checkpoint; on a running job, withdraws a pending pause',
  },
  cancel: {
    moves: [
      ['pending', 'cancelled'],
      ['retryable', 'cancelled'],
      ['paused', 'cancelled'],
      ['processing', 'processing'],
      ['processing', 'cancelled'],
    ],
    by: ['user', 'supervisor', 'bot', 'watchdog'],
    fenced: false,
    meaning: 'stop for good; a running job is cancelled once its holder has stopped',
  },
  expire: {
    moves: [['processing', 'expired']],
    by: ['user'],
    fenced: false,
    raisesFence: true,
    meaning: 'an operator ends the lease and leaves the job for a decision',
  },
  resetLock: {
    moves: [['processing', 'pending']],
    by: ['user'],
    fenced: false,
    raisesFence: true,
    meaning: 'an operator ends the lease; the job is ready again and no retry is used',
  },
  retry: {
    moves: [
      ['failed', 'pending'],
      ['cancelled', 'pending'],
      ['expired', 'pending'],
    ],
    by: ['user'],
    fenced: false,
    meaning: 'run a finished job again, from its checkpoint or from the start; retry_count is reset to 0',
  },
  retryUrls: {
    moves: [
      ['completed', 'pending'],
      ['failed', 'pending'],
      ['cancelled', 'pending'],
    ],
    by: ['user'],
    fenced: false,
    meaning: 'retry selected failed or skipped pages of a finished crawl; retry_count is reset to 0',
  },
  runNow: {
    moves: [
      ['pending', 'pending'],
      ['retryable', 'pending'],
    ],
    by: ['user'],
    fenced: false,
    meaning:
      'a user ends the wait for a start time, a retry or a host, or resumes the source that the job waits for; no retry is used',
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;
export const transitionNames = Object.keys(transitions) as TransitionName[];

/** What a user can do to a job, in the order in which a screen should offer it. */
export const userActions = ['runNow', 'pause', 'resume', 'cancel', 'retry', 'resetLock', 'expire'] as const;
export type UserAction = (typeof userActions)[number];
/** retryUrls is for crawls, and wants to know which pages. */
export type JobAction = UserAction | 'retryUrls';

/**
 * What a user can do to a job now. A requested cancel leaves nothing to pause or resume; it can only be forced. The retry of a
 * completed visit or collect job moves nothing: its result stays, and a new job runs. `isEarly`: a time
 * lies ahead that a pending job waits for.
 */
export function allowedActions(
  status: JobStatus,
  requested: RequestedAction | null = null,
  kind?: JobKind,
  isEarly = false,
): JobAction[] {
  const actions: readonly JobAction[] = kind === 'crawl' ? [...userActions, 'retryUrls'] : userActions;
  return actions.filter((action) => {
    if (action === 'retry' && status === 'completed') return kind === 'visit' || kind === 'collect';
    if (!transitions[action].moves.some(([from]) => from === status)) return false;
    if (action === 'runNow' && status === 'pending') return isEarly;
    if (status !== 'processing') return true;
    if (action === 'resume') return requested === 'pause';
    if (action === 'pause') return requested === null;
    return action !== 'cancel' || requested !== 'cancel';
  });
}

export function isLive(status: JobStatus): boolean {
  return (liveStatuses as readonly JobStatus[]).includes(status);
}

export function isLegalMove(name: TransitionName, from: JobStatus | null, to: JobStatus): boolean {
  return transitions[name].moves.some((move) => move[0] === from && move[1] === to);
}
