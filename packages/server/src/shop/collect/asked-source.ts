import { HoldfastError, type PauseReason } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

/** The source that a collect job asks. */
export interface AskedSource {
  readonly id: string;
  readonly adapter_type: string | null;
  readonly config: Record<string, unknown>;
  /** How long it lets nothing through from now on; Infinity: until an operator does something about it. */
  readonly paused_ms: number;
  readonly enabled: boolean;
  readonly pause_reason: PauseReason | null;
}

const askedStatement = statement<{ source_id: string | null } & Partial<AskedSource>>(
  'asked-source',
  `
SELECT job.source_id, source.id, source.adapter_type, source.config, source.enabled, source.pause_reason,
  greatest(0, state.paused_until_ms - epoch_ms(clock_timestamp())) AS paused_ms
FROM crawl_jobs job LEFT JOIN sources source ON source.id = job.source_id
LEFT JOIN LATERAL source_state(source) state ON source.id IS NOT NULL
WHERE job.id = $1`,
);

export async function askedSource(db: Queryable, { id: jobId }: HeldJob): Promise<AskedSource> {
  const [row] = await run(db, askedStatement, [jobId]);
  if (row?.id == null) throw new HoldfastError('source_not_found', row?.source_id ?? 'the job names none');
  const { id, adapter_type = null, config = {}, paused_ms = 0, enabled = true, pause_reason = null } = row;
  return { id, adapter_type, config, paused_ms, enabled, pause_reason };
}
