import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type Source, sourceColumns } from './source.ts';

export interface SourceFilter {
  /** Only those that an operator configured, or only those that were not. */
  readonly configured?: boolean | undefined;
  /** Only those that are disabled, paused, or waiting for a probe. */
  readonly blocked?: boolean | undefined;
  /** Only the one with this id. */
  readonly id?: string | undefined;
  /** The id of the previous page's last source. */
  readonly after?: string | undefined;
  readonly limit?: number;
}

/* There may be a row for every host ever crawled: each variant has an index that skips the rows it does not show. */
const variants = {
  all: 'true',
  configured: 'source.configured',
  blocked: '(NOT source.enabled OR source.paused_until IS NOT NULL)',
} as const;

export const listSourcesStatements = Object.fromEntries(
  Object.entries(variants).map(([variant, condition]) => [
    variant,
    statement<Source>(
      `list-sources-${variant}`,
      `
SELECT ${sourceColumns} FROM sources source CROSS JOIN LATERAL source_state(source) state
WHERE ${condition} AND ($1::boolean IS NULL OR source.configured = $1)
  AND ($2::boolean IS NULL
    OR (NOT source.enabled OR source.pause_reason = 'failures' OR source.paused_until > now()) IS TRUE = $2)
  AND source.id > $3
ORDER BY source.id LIMIT $4`,
    ),
  ]),
) as Record<keyof typeof variants, ReturnType<typeof statement<Source>>>;

const showStatement = statement<Source>(
  'show-source',
  `SELECT ${sourceColumns} FROM sources source CROSS JOIN LATERAL source_state(source) state WHERE source.id = $1`,
);

/** In the order of their ids. */
export async function listSources(db: Queryable, filter: SourceFilter = {}): Promise<Source[]> {
  const { configured, blocked, id, after = '', limit = 50 } = filter;
  if (id !== undefined) return run(db, showStatement, [id]);
  const variant = blocked ? 'blocked' : configured ? 'configured' : 'all';
  return run(db, listSourcesStatements[variant], [configured, blocked, after, Math.min(limit, 1001)]);
}

export async function showSource(db: Queryable, id: string): Promise<Source> {
  const [source] = await run(db, showStatement, [id]);
  if (!source) throw new HoldfastError('source_not_found', id);
  return source;
}
