import { useParams } from '@tanstack/react-router';
import { ViewHeader } from '../../design/view-header.tsx';
import { ResultPanel } from './result-panel.tsx';

export function ResultView() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <>
      <ViewHeader title="Result" />
      <ResultPanel id={id} />
    </>
  );
}
