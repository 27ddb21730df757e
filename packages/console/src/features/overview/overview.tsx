import { jobTitle, type StatsJob } from '@holdfast/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { statsPath, useStats } from '../../api/stats.ts';
import type { Wire } from '../../api/wire.ts';
import { countText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { Failed } from '../../design/failed.tsx';
import { Moment } from '../../design/moment.tsx';
import { ProgressBar } from '../../design/progress-bar.tsx';
import { StatusBadge } from '../../design/status-badge.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { lastError } from '../jobs/last-error.ts';
import { FirstRun } from './first-run.tsx';
import { Health } from './health.tsx';
import styles from './overview.module.css';
import { OverviewCharts } from './overview-charts.tsx';
import { StateCounts } from './state-counts.tsx';

type Job = Wire<StatsJob>;

const link: Column<Job> = {
  name: 'URL or item',
  grow: true,
  cell: (job) => (
    <Link to="/jobs/$id" params={{ id: job.id }} title={jobTitle(job)}>
      {jobTitle(job)}
    </Link>
  ),
};
const status: Column<Job> = { name: 'Status', cell: (job) => <StatusBadge status={job.status} /> };
const kind: Column<Job> = { name: 'Kind', cell: (job) => job.kind, wideOnly: true };

const recentColumns: readonly Column<Job>[] = [
  status,
  link,
  kind,
  { name: 'Error', cell: (job) => lastError(job)?.code ?? '–', wideOnly: true },
  {
    name: 'Progress',
    align: 'right',
    wideOnly: true,
    cell: (job) => <ProgressBar percent={job.progress_percentage} />,
  },
  { name: 'Created', align: 'right', cell: (job) => <Moment at={job.created_at} /> },
];
const stuckColumns: readonly Column<Job>[] = [
  link,
  kind,
  { name: 'Holder', cell: (job) => <span title={job.worker_id ?? ''}>{job.worker_id}</span>, wideOnly: true },
  { name: 'Lease expired', align: 'right', cell: (job) => <Moment at={job.lease_expires_at} /> },
];

/** The overview: current state and problems that need attention. */
export function Overview() {
  const { data: stats, error, refetch } = useStats();
  const liveness = useLive('/api/v1/events', [[statsPath]], { atMostEveryMs: 3_000 });
  const navigate = useNavigate();
  if (error && !stats) return <Failed error={error} again={refetch} />;
  if (!stats) return null;
  const open = (job: Job) => void navigate({ to: '/jobs/$id', params: { id: job.id } });
  const isEmpty = stats.recent_jobs.length === 0;
  return (
    <>
      <ViewHeader title="Overview" liveness={liveness} />
      {isEmpty && <FirstRun />}
      {!isEmpty && (
        <>
          <StateCounts stats={stats} />
          <OverviewCharts stats={stats} />
        </>
      )}
      <Health stats={stats} />
      {stats.stuck.data.length > 0 && (
        <>
          <h2 className={styles.section}>Stuck: {countText(stats.stuck)} whose lease ran out</h2>
          <DataTable
            label="Stuck jobs"
            columns={stuckColumns}
            rows={stats.stuck.data}
            idOf={(job) => job.id}
            onOpen={open}
          />
        </>
      )}
      {!isEmpty && (
        <>
          <h2 className={styles.section}>Last jobs</h2>
          <DataTable
            label="Last jobs"
            columns={recentColumns}
            rows={stats.recent_jobs}
            idOf={(job) => job.id}
            onOpen={open}
          />
        </>
      )}
    </>
  );
}
