import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type Source, sourceColumns } from './source.ts';

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

/** Lets no request to a source start for so many seconds, or until it is resumed. */
export async function pauseSource(db: Queryable, id: string, seconds?: number): Promise<Source> {
  const [source] = await run(db, pauseStatement, [id, seconds]);
  if (!source) throw new HoldfastError('source_not_found', id);
  return source;
}
