import type { SourceSettings } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import type { Notifier } from '../../queue/jobs/notifications.ts';
import { wakeJobsOfSource } from '../../queue/jobs/waiting-jobs.ts';
import { configureSource } from './configure-source.ts';
import { pauseSource } from './pause-source.ts';
import { resumeSource } from './resume-source.ts';
import type { Source } from './source.ts';

/** What operators do to sources, with all that follows for the jobs that wait for them. */
export interface SourceActing {
  readonly db: Queryable;
  readonly notifier: Notifier;
  readonly actor: string;
}

/** Ends every pause and slow-down of a source, and starts the jobs that wait for it. */
export async function resumeAndWake(acting: SourceActing, id: string): Promise<Source> {
  const source = await resumeSource(acting.db, id);
  await wake(acting, source);
  return source;
}

/** Changes a source. To enable it starts the jobs that wait for it. */
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

export async function pauseAndTell(
  { db, notifier }: SourceActing,
  id: string,
  seconds?: number,
): Promise<Source> {
  const source = await pauseSource(db, id, seconds);
  await notifier.notify('source');
  return source;
}

/** Those of bots wait for nothing but the next pull. */
async function wake({ db, notifier, actor }: SourceActing, { id }: Source): Promise<void> {
  await notifier.notify('source');
  await wakeJobsOfSource(db, id, actor, () => notifier.notify('requeued'));
}
