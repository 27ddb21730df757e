import { type Queryable, run, statement } from '../database/statement.ts';
import { type Source, sourceColumns } from './source.ts';

export interface SourceFilter {
  /** Only those that an operator configured, or only those that were not. */
  readonly configured?: boolean;
  /** Only those that let nothing through now: disabled, paused, or waiting for a probe. */
  readonly blocked?: boolean;
  /** Only the one of this id. */
  readonly id?: string;
  /** Id of the last source of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

const listStatement = statement<Source>(
  'list-sources',
  `
SELECT ${sourceColumns} FROM sources source CROSS JOIN LATERAL source_state(source) state
WHERE ($1::boolean IS NULL OR source.configured = $1)
  AND ($2::boolean IS NULL
    OR (NOT source.enabled OR source.pause_reason = 'failures' OR source.paused_until > now()) IS TRUE = $2)
  AND ($3::text IS NULL OR source.id = $3) AND ($4::text IS NULL OR source.id > $4)
ORDER BY source.id LIMIT $5`,
);

export function listSources(db: Queryable, filter: SourceFilter = {}): Promise<Source[]> {
  const { configured, blocked, id, after, limit = 50 } = filter;
  return run(db, listStatement, [configured, blocked, id, after, Math.min(limit, 1000)]);
}
