import type { ShownResult } from '@holdfast/contract';
import { useParams } from '@tanstack/react-router';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { ViewHeader } from '../../design/view-header.tsx';
import { ResultPanel } from './result-panel.tsx';

export function ResultView() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: result } = useOne<Wire<ShownResult>>(`/api/v1/results/${id}`);
  return (
    <>
      <ViewHeader title={result?.title ?? result?.url ?? 'Result'} />
      <ResultPanel id={id} />
    </>
  );
}
