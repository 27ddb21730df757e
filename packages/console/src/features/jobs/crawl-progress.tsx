import type { JobProgress, ShownJob } from '@holdfast/contract';
import { useEffect, useMemo, useState } from 'react';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { ChartLater } from '../../design/chart-later.tsx';
import { numberText } from '../../design/count-text.ts';
import { Moment } from '../../design/moment.tsx';
import { Facts, Panel } from '../../design/panel.tsx';
import { ProgressBar } from '../../design/progress-bar.tsx';

const kept = 300;

/** How far a crawl is, and how fast it goes while it is looked at. */
export function CrawlProgress({ job }: { readonly job: ShownJob }) {
  const isRunning = job.status === 'processing';
  const { data: progress } = useOne<Wire<JobProgress>>(
    `/api/v1/jobs/${job.id}/progress`,
    {},
    isRunning ? 2_000 : undefined,
  );
  const [rates, setRates] = useState<{ at: number; rate: number }[]>([]);
  const rate = progress?.pages_per_second;
  const at = progress?.updated_at;
  useEffect(() => {
    if (rate === null || rate === undefined || !at) return;
    setRates((before) => [...before.slice(-kept), { at: Date.now() / 1000, rate }]);
  }, [rate, at]);
  const x = useMemo(() => rates.map((point) => point.at), [rates]);
  const series = useMemo(
    () => [{ label: 'pages a second', colour: 'chart-1', values: rates.map((point) => point.rate) }],
    [rates],
  );
  if (!progress) return null;
  return (
    <Panel title="Progress" actions={<ProgressBar percent={progress.progress_percentage} />}>
      <Facts
        facts={[
          ['Done', numberText(progress.done)],
          ['Left', numberText(progress.pending)],
          ['Fetched', numberText(progress.fetched)],
          ['Failed', numberText(progress.failed)],
          ['Skipped', numberText(progress.skipped)],
          ['Redirected', numberText(progress.redirected)],
          ['Pages a second', rate?.toFixed(1)],
          ['Expected end', progress.estimated_end_at && <Moment key="end" at={progress.estimated_end_at} />],
          ['Depth', progress.current_depth],
          ['Now at', progress.current_url],
        ]}
      />
      {rates.length > 1 && <ChartLater label="Pages a second" x={x} series={series} height={140} />}
    </Panel>
  );
}
