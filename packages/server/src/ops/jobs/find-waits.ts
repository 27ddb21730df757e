import {
  describeWait,
  type HostCause,
  type Job,
  type JobKind,
  parseUrl,
  pauseCauses,
  type WaitFacts,
  type Waiting,
  type WorkerShortage,
} from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { findSources } from '../../governor/sources/open-sources.ts';
import { type BlockedBy, isEarly } from '../../queue/jobs/waiting-jobs.ts';
import { isTakingJobs } from '../../queue/workers/worker-list.ts';

/** The state of a source that jobs wait for. */
interface WaitedSource {
  readonly id: string;
  readonly enabled: boolean;
  /** Infinity: until resumed. Null: not paused. */
  readonly paused_until: Date | number | null;
  readonly pause_reason: HostCause | null;
}

const sourcesStatement = statement<WaitedSource>(
  'waited-sources',
  `
SELECT id, enabled, CASE WHEN paused_until > now() THEN paused_until END AS paused_until, pause_reason
FROM sources WHERE id = ANY ($1)`,
);

type Asked = Pick<
  Job,
  | 'id'
  | 'kind'
  | 'executor'
  | 'status'
  | 'payload'
  | 'run_at'
  | 'next_retry_at'
  | 'started_at'
  | 'blocked_by'
  | 'waits_for'
  | 'retry_count'
  | 'max_retries'
  | 'error_code'
  | 'error_message'
>;

/**
 * Why each of these jobs waits; jobs that do not wait are left out. Takes at most three statements: the sources they wait for,
 * the hosts of visits for bots, and the live workers.
 */
export async function findWaits(db: Queryable, jobs: readonly Asked[]): Promise<Map<string, Waiting>> {
  const waiting = jobs.filter(({ status }) => status === 'pending' || status === 'retryable');
  const [early, ready] = [waiting.filter(isEarly), waiting.filter((job) => !isEarly(job))];
  const forBots = ready.filter(({ executor }) => executor === 'bot');
  const forWorkers = ready.filter(({ executor }) => executor !== 'bot');
  const [sources, bots, workers] = await Promise.all([
    readSources(db, early),
    readHosts(db, forBots),
    forWorkers.length > 0 ? readLiveWorkers(db) : [],
  ]);
  const found = new Map<string, Waiting>();
  for (const job of early) found.set(job.id, earlyWait(job, sources));
  for (const job of forBots)
    found.set(job.id, describe(job, bots.get(hostOf(job) ?? '') ?? { reason: 'bot' }));
  for (const job of forWorkers) {
    const facts = factsOfReady(job, workers);
    if (facts) found.set(job.id, describe(job, facts));
  }
  return found;
}

/** Null if the job does not wait. */
export async function findWait(db: Queryable, job: Asked): Promise<Waiting | null> {
  return (await findWaits(db, [job])).get(job.id) ?? null;
}

type Facts = WaitFacts & { readonly until?: Date | null };

function describe(job: Asked, facts: Facts): Waiting {
  const isHost = facts.reason === 'host' || facts.reason === 'source';
  return {
    reason: facts.reason,
    ...describeWait(facts, job.id),
    until: facts.until ?? null,
    cause: isHost ? facts.cause : null,
    host: isHost ? facts.host : null,
    source_id: isHost ? facts.sourceId : null,
  };
}

function earlyWait(job: Asked, sources: ReadonlyMap<string, WaitedSource>): Waiting {
  const until = job.next_retry_at ?? job.run_at;
  const blocked = job.blocked_by as BlockedBy | null;
  const retry = job.status === 'retryable' ? `retry ${job.retry_count} of ${job.max_retries}` : undefined;
  const error = `${job.error_code}: ${job.error_message}`;
  if (retry !== undefined && blocked?.cause !== 'robots' && blocked?.cause !== 'proxy')
    return describe(job, { reason: 'retry', retry, error, until });
  // Released by a version that did not record the reason.
  if (!blocked && job.started_at === null) return describe(job, { reason: 'schedule', until });
  const { host = null, source: sourceId = null, hosts = 1 } = blocked ?? {};
  const now = blockNow(sources.get(sourceId ?? ''));
  const place = { host, others: hosts - 1, sourceId, ...(retry !== undefined && { retry, error }) };
  if (now) return describe(job, { ...now, ...place, until: now.until === 'job time' ? until : now.until });
  // The pause is over; the job still waits for the time it was given.
  const cause = blocked && !pauseCauses.includes(blocked.cause) ? blocked.cause : 'limit';
  return describe(job, { reason: 'host', cause, ...place, until });
}

/** Why a source blocks requests now, which may differ from when the job was released. */
function blockNow(
  source: WaitedSource | undefined,
): { reason: 'host' | 'source'; cause: HostCause; until: Date | 'job time' | null } | undefined {
  if (!source) return undefined;
  const { enabled, paused_until, pause_reason } = source;
  if (!enabled) return { reason: 'source', cause: 'disabled', until: null };
  if (paused_until === null || pause_reason === null) return undefined;
  const reason = pause_reason === 'operator' ? 'source' : 'host';
  return { reason, cause: pause_reason, until: paused_until instanceof Date ? paused_until : null };
}

function factsOfReady({ kind, waits_for }: Asked, workers: readonly LiveWorker[]): WaitFacts | undefined {
  const origins = waits_for ?? [];
  const able = workers.filter(({ allow_private }) =>
    origins.every((origin) => allow_private.includes(origin)),
  );
  if (origins.length > 0 && able.length === 0) return { reason: 'origin', origins };
  const shortage = shortageFor(kind, able);
  return shortage && { reason: 'worker', shortage };
}

async function readSources(
  db: Queryable,
  jobs: readonly Asked[],
): Promise<ReadonlyMap<string, WaitedSource>> {
  const ids = [...new Set(jobs.flatMap((job) => (job.blocked_by as BlockedBy | null)?.source ?? []))];
  const rows = ids.length > 0 ? await run(db, sourcesStatement, [ids]) : [];
  return new Map(rows.map((source) => [source.id, source]));
}

/** Hosts whose jobs bots do not get now. */
async function readHosts(db: Queryable, jobs: readonly Asked[]): Promise<ReadonlyMap<string, Facts>> {
  const hosts = [...new Set(jobs.flatMap((job) => hostOf(job) ?? []))];
  const found = hosts.length > 0 ? await findSources(db, hosts) : [];
  const sources = new Map(
    (found.length > 0 ? await run(db, sourcesStatement, [found.map(({ source_id }) => source_id)]) : []).map(
      (source) => [source.id, source],
    ),
  );
  return new Map(
    found.flatMap(({ host, source_id }) => {
      const now = blockNow(sources.get(source_id));
      if (!now) return [];
      const until = now.until === 'job time' ? null : now.until;
      return [[host, { ...now, until, host, others: 0, sourceId: source_id }] as const];
    }),
  );
}

function hostOf({ payload }: Asked): string | undefined {
  return typeof payload.url === 'string' ? parseUrl(payload.url)?.host : undefined;
}

/** A worker that takes jobs, if it is well. */
interface LiveWorker {
  readonly kinds: readonly JobKind[];
  readonly allow_private: readonly string[];
  readonly is_sick: boolean;
  readonly has_room_for_crawl: boolean;
  /** Visits and collections share their slots. */
  readonly has_room_for_other: boolean;
}

/** Running jobs are counted, because the last heartbeat may be outdated. */
const readStatement = statement<LiveWorker>(
  'live-workers',
  `
SELECT DISTINCT kinds::text[] AS kinds, allow_private, trouble IS NOT NULL AS is_sick,
  crawls < coalesce(max_crawls, max_jobs) AS has_room_for_crawl,
  others < max_jobs - coalesce(max_crawls, 0) AS has_room_for_other
FROM workers CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE kind = 'crawl') AS crawls, count(*) FILTER (WHERE kind <> 'crawl') AS others
  FROM crawl_jobs WHERE status = 'processing' AND worker_id = workers.id
) running
WHERE ${isTakingJobs('workers', 'workers.heartbeat_seconds')}`,
);

function readLiveWorkers(db: Queryable): Promise<LiveWorker[]> {
  return run(db, readStatement);
}

/** Why no worker takes a ready job of this kind; undefined: one will in a moment. */
function shortageFor(kind: JobKind, workers: readonly LiveWorker[]): WorkerShortage | undefined {
  if (workers.length === 0) return 'none';
  const able = workers.filter(({ kinds }) => kinds.includes(kind));
  if (able.length === 0) return 'other kinds';
  const well = able.filter(({ is_sick }) => !is_sick);
  if (well.length === 0) return 'sick';
  const room = kind === 'crawl' ? 'has_room_for_crawl' : 'has_room_for_other';
  return well.some((worker) => worker[room]) ? undefined : 'busy';
}
