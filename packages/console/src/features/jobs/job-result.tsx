import type { ListedResult, ShownJob } from '@holdfast/contract';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { Failed } from '../../design/failed.tsx';
import { Notice } from '../../design/notice.tsx';
import { ResultPanel } from '../results/result-panel.tsx';

/** The result of the visit, with earlier prices. */
export function JobResult({ job }: { readonly job: ShownJob }) {
  const { data, error, refetch } = useOne<{ data: readonly Wire<ListedResult>[] }>('/api/v1/results', {
    job_id: job.id,
    limit: 1,
  });
  const [result] = data?.data ?? [];
  if (error && !data) return <Failed error={error} again={refetch} />;
  if (!data) return null;
  if (!result) return <Notice title="No result yet">The result is stored when the visit succeeds.</Notice>;
  return <ResultPanel id={result.id} />;
}
