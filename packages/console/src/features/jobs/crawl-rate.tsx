import type { ShownJob } from '@holdfast/contract';
import { useEffect, useMemo, useState } from 'react';
import { ChartLater } from '../../design/chart-later.tsx';
import { numberText } from '../../design/count-text.ts';
import { Panel } from '../../design/panel.tsx';
import styles from './job-detail.module.css';
import { useProgress } from './use-progress.ts';

const kept = 300;

/** The rate of a crawl while it is displayed. */
export function CrawlRate({ job }: { readonly job: ShownJob }) {
  const progress = useProgress(job);
  const [rates, setRates] = useState<readonly { at: number; rate: number }[]>([]);
  const rate = progress?.pages_per_second;
  const at = progress?.updated_at;
  useEffect(() => {
    if (rate === null || rate === undefined || !at) return;
    setRates((before) => [...before.slice(-kept), { at: Date.now() / 1000, rate: rate * 60 }]);
  }, [rate, at]);
  const x = useMemo(() => rates.map((point) => point.at), [rates]);
  const series = useMemo(
    () => [{ label: 'pages per minute', colour: 'chart-1', values: rates.map((point) => point.rate) }],
    [rates],
  );
  const now = rates.at(-1)?.rate;
  return (
    <Panel
      title="Pages per minute"
      actions={now !== undefined && <strong>{numberText(Math.round(now))}</strong>}
    >
      {rates.length > 1 ? (
        <ChartLater label="Pages per minute" x={x} series={series} height={150} />
      ) : (
        <p className={styles.waiting}>
          {now === undefined
            ? 'Available after the second checkpoint.'
            : 'Drawn while this page is open, from the next checkpoint.'}
        </p>
      )}
    </Panel>
  );
}
