import { HoldfastError, type SourceSettings } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Notifier } from '../../queue/jobs/notifications.ts';
import { wakeJobsOfSource } from '../../queue/jobs/waiting-jobs.ts';
import { configureSource } from './configure-source.ts';
import { type Source, sourceColumns } from './source.ts';

/** What operators do to sources, and its consequences for the jobs that wait for them. */
interface SourceActing {
  readonly db: Queryable;
  readonly notifier: Notifier;
  readonly actor: string;
}

export async function pauseAndNotify(
  { db, notifier }: SourceActing,
  id: string,
  seconds?: number,
): Promise<Source> {
  const source = await pauseSource(db, id, seconds);
  await notifier.notify('source');
  return source;
}

/** Ends every pause and slowdown of a source, and starts the jobs that wait for it. */
export async function resumeAndWake(acting: SourceActing, id: string): Promise<Source> {
  const source = await resumeSource(acting.db, id);
  await wake(acting, source);
  return source;
}

/** Changes a source. Enabling it starts the jobs that wait for it. */
export async function configureAndWake(
  acting: SourceActing,
  id: string,
  settings: SourceSettings,
): Promise<Source> {
  const source = await configureSource(acting.db, id, settings);
  if (settings.enabled && !source.paused) await wake(acting, source);
  else await acting.notifier.notify('source');
  return source;
}

/** Jobs of bots are not woken: they wait for the next pull. */
async function wake({ db, notifier, actor }: SourceActing, { id }: Source): Promise<void> {
  await notifier.notify('source');
  await wakeJobsOfSource(db, id, actor, () => notifier.notify('requeued'));
}

const pauseStatement = statement<Source>(
  'pause-source',
  `
WITH changed AS (
  UPDATE sources source SET pause_reason = 'operator', probe_by = NULL, probe_until = NULL,
    paused_until = coalesce(now() + make_interval(secs => $2::float8), 'infinity')
  WHERE id = $1
  RETURNING source
)
SELECT ${sourceColumns} FROM (SELECT (source).* FROM changed) source, changed
CROSS JOIN LATERAL source_state(changed.source) state`,
);

/** Starts no request to a source for so many seconds, or until it is resumed. */
export async function pauseSource(db: Queryable, id: string, seconds?: number): Promise<Source> {
  const [source] = await run(db, pauseStatement, [id, seconds]);
  if (!source) throw new HoldfastError('source_not_found', id);
  return source;
}

const resumeStatement = statement<Source>(
  'resume-source',
  `
WITH changed AS (
  UPDATE sources source SET paused_until = NULL, pause_reason = NULL, probe_by = NULL, probe_until = NULL,
    failure_streak = 0, failed_urls = 0, slowdown = 1, capacity = NULL, answers = 0, refused = 0, failed = 0
  WHERE id = $1
  RETURNING source
)
SELECT ${sourceColumns} FROM (SELECT (source).* FROM changed) source, changed
CROSS JOIN LATERAL source_state(changed.source) state`,
);

/** Ends every pause and slowdown of a source, whatever caused it; its limits and delays stay. */
export async function resumeSource(db: Queryable, id: string): Promise<Source> {
  const [source] = await run(db, resumeStatement, [id]);
  if (!source) throw new HoldfastError('source_not_found', id);
  return source;
}
