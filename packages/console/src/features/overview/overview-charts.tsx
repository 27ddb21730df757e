import { useMemo } from 'react';
import { countOf, type ShownStats } from '../../api/stats.ts';
import { ChartLater } from '../../design/chart-later.tsx';
import { numberText } from '../../design/count-text.ts';
import { Grid, Panel } from '../../design/panel.tsx';
import { Figures } from './figures.tsx';
import styles from './overview.module.css';

export function OverviewCharts({ stats }: { readonly stats: ShownStats }) {
  return (
    <Grid min={420}>
      <Throughput stats={stats} />
      <QueueDepth stats={stats} />
      <Retries stats={stats} />
      <BotActivity stats={stats} />
    </Grid>
  );
}

function Throughput({ stats }: { readonly stats: ShownStats }) {
  const { complete } = stats.throughput;
  // The current minute is incomplete and would look like a drop.
  const minutes = useMemo(() => stats.throughput.minutes.slice(0, -1), [stats.throughput]);
  const x = useMemo(() => minutes.map(({ minute }) => Date.parse(minute) / 1000), [minutes]);
  const series = useMemo(
    () => [
      { label: 'completed', colour: 'completed', values: minutes.map(({ completed }) => completed) },
      { label: 'failed', colour: 'failed', values: minutes.map(({ failed }) => failed) },
      { label: 'retried', colour: 'retryable', values: minutes.map(({ retried }) => retried) },
    ],
    [minutes],
  );
  return (
    <Panel title="Throughput, jobs per minute">
      {minutes.some(({ completed, failed, retried }) => completed + failed + retried > 0) ? (
        <ChartLater label="Jobs completed, failed and retried in the last hour" x={x} series={series} />
      ) : (
        <p className={styles.nothing}>No data: no job finished in the last hour before the current minute.</p>
      )}
      {!complete && <p className={styles.quiet}>Older minutes are still being counted.</p>}
    </Panel>
  );
}

/** Computed backwards from now: jobs created since are subtracted, jobs that ended since are added. */
function QueueDepth({ stats }: { readonly stats: ShownStats }) {
  const { minutes } = stats.throughput;
  const live = countOf(stats, 'pending', 'processing', 'retryable', 'paused');
  const x = useMemo(() => minutes.map(({ minute }) => Date.parse(minute) / 1000), [minutes]);
  const series = useMemo(() => {
    const values: number[] = [];
    let depth = live.count;
    for (const { more } of minutes.toReversed()) {
      values.unshift(Math.max(0, depth));
      depth -= more;
    }
    return [{ label: 'jobs', colour: 'chart-2', values }];
  }, [minutes, live.count]);
  return (
    <Panel
      title="Queue depth, unfinished jobs"
      actions={<span className={styles.quiet}>{numberText(stats.pending_pages)} pages to go</span>}
    >
      <ChartLater label="Unfinished jobs in the last hour" x={x} series={series} height={206} />
    </Panel>
  );
}

/** With more bars they would be too thin. */
const most = 10;

function Retries({ stats }: { readonly stats: ShownStats }) {
  const { data, exact } = stats.retries;
  const highest = Math.min(most, Math.max(3, ...data.map(({ retry_count }) => retry_count)));
  const x = useMemo(() => Array.from({ length: highest + 1 }, (_, retries) => retries), [highest]);
  const labels = useMemo(() => x.map((retries) => (retries === most ? `${most}+` : String(retries))), [x]);
  const series = useMemo(
    () => [
      {
        label: 'jobs',
        colour: 'chart-3',
        look: 'bars' as const,
        // An empty bar would be drawn as a line.
        values: x.map(
          (retries) =>
            data
              .filter(({ retry_count }) => Math.min(most, retry_count) === retries)
              .reduce((sum, { count }) => sum + count, 0) || null,
        ),
      },
    ],
    [x, data],
  );
  return (
    <Panel title="Unfinished jobs by retries">
      {data.length === 0 ? (
        <p className={styles.nothing}>No job is unfinished.</p>
      ) : (
        <ChartLater label="Unfinished jobs by retries" x={x} labels={labels} series={series} />
      )}
      {!exact && <p className={styles.quiet}>Based on a part of the jobs.</p>}
    </Panel>
  );
}

function BotActivity({ stats }: { readonly stats: ShownStats }) {
  const { hours, active, total, success_rate } = stats.bots;
  const x = useMemo(() => hours.map(({ hour }) => Date.parse(hour) / 1000), [hours]);
  const series = useMemo(
    () => [
      {
        label: 'jobs pulled',
        colour: 'chart-2',
        look: 'bars' as const,
        values: hours.map(({ jobs_pulled }) => jobs_pulled || null),
      },
    ],
    [hours],
  );
  const lastHour = hours.at(-1);
  return (
    <Panel title="Bot activity, 24 hours">
      {total === 0 ? (
        <p className={styles.nothing}>
          <span>
            No bots. One is an outside program that visits pages:{' '}
            <code className={styles.command}>holdfast bots create bot-001</code>
          </span>
        </p>
      ) : (
        <>
          <Figures
            figures={[
              ['Active', `${numberText(active)} of ${numberText(total)}`],
              ['Pulls this hour', numberText(lastHour?.pulls ?? 0)],
              ['Success', success_rate === null ? '–' : `${Math.round(success_rate * 100)} %`],
            ]}
          />
          {hours.some(({ jobs_pulled }) => jobs_pulled > 0) ? (
            <ChartLater label="Jobs pulled by bots per hour" x={x} series={series} height={130} />
          ) : (
            <p className={styles.nothing}>No bot pulled a job in the last 24 hours.</p>
          )}
        </>
      )}
    </Panel>
  );
}
