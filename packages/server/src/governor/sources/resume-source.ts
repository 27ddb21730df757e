import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type Source, sourceColumns } from './source.ts';

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

/** Ends every pause and slow-down of a source, whoever began it; its limits and delays stay. */
export async function resumeSource(db: Queryable, id: string): Promise<Source> {
  const [source] = await run(db, resumeStatement, [id]);
  if (!source) throw new HoldfastError('source_not_found', id);
  return source;
}
