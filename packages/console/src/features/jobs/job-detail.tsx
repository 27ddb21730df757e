import { type JobKind, jobTitle, type ShownJob } from '@holdfast/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { request } from '../../api/request.ts';
import { Failed } from '../../design/failed.tsx';
import { Moment } from '../../design/moment.tsx';
import { Facts, Grid, Panel } from '../../design/panel.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { StatusBadge } from '../../design/status-badge.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { PricePoints } from '../intakes/price-points.tsx';
import { CrawlProgress } from './crawl-progress.tsx';
import { CrawlRate } from './crawl-rate.tsx';
import { DeleteJob } from './delete-job.tsx';
import { FrontierHosts } from './frontier-hosts.tsx';
import { JobActions } from './job-actions.tsx';
import styles from './job-detail.module.css';
import { JobErrors } from './job-errors.tsx';
import { JobPages } from './job-pages.tsx';
import { JobResult } from './job-result.tsx';
import { KeptText } from './kept-text.tsx';
import { LeasePanel } from './lease-panel.tsx';
import { RunNotice } from './run-notice.tsx';
import { StateDiagram } from './state-diagram.tsx';
import { statusLabel } from './status-label.ts';
import { Timeline } from './timeline.tsx';

const tabsOf: Record<JobKind, readonly string[]> = {
  crawl: ['timeline', 'pages', 'text', 'errors', 'frontier', 'payload'],
  visit: ['timeline', 'result', 'payload'],
  collect: ['timeline', 'prices', 'payload'],
};

const kindNames: Record<JobKind, string> = {
  crawl: 'Crawl job',
  visit: 'Visit job',
  collect: 'Collect job',
};

/** A job's page: state, timeline, results and actions. */
export function JobDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = `/api/v1/jobs/${id}`;
  const {
    data: job,
    error,
    refetch,
  } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => request<ShownJob>(path, { signal }),
  });
  const liveness = useLive(`${path}/stream`, [
    [path],
    [`${path}/events`],
    [`${path}/progress`],
    [`${path}/pages`],
    [`${path}/errors`],
    ['/api/v1/price-points'],
  ]);
  const [state] = useSearchState();
  if (error && !job)
    return (
      <>
        <ViewHeader title="Job" />
        <Failed
          error={error}
          again={refetch}
          gone={{
            title: 'Job not found',
            text: 'It may have been deleted, by a user or after its retention time, or belong to another owner.',
          }}
        />
      </>
    );
  if (!job) return null;
  const tabs = tabsOf[job.kind];
  const intakeId = job.payload['intake_id'];
  const tab = tabs.includes(state['tab'] ?? '') ? state['tab'] : 'timeline';
  return (
    <>
      <ViewHeader title={jobTitle(job)} liveness={liveness}>
        <JobActions job={job} />
        <DeleteJob job={job} />
      </ViewHeader>
      <RunNotice job={job} />
      <Grid min={420}>
        <div className={styles.column}>
          <Panel title="Current state">
            <StateDiagram job={job} />
          </Panel>
          {job.kind === 'crawl' && job.status === 'processing' && <CrawlRate job={job} />}
        </div>
        <div className={styles.column}>
          <Panel
            title={kindNames[job.kind]}
            actions={<StatusBadge status={job.status} label={statusLabel(job)} />}
          >
            <Facts
              facts={[
                ['Id', <code key="id">{job.id}</code>, 'wide'],
                ['Priority', job.priority],
                ['Retries', `${job.retry_count} of ${job.max_retries}`],
                ['Created', <Moment key="created" at={job.created_at} />],
                ['Started', job.started_at && <Moment key="started" at={job.started_at} />],
                ['Finished', job.completed_at && <Moment key="completed" at={job.completed_at} />],
                [
                  'Rerun of',
                  job.rerun_of && (
                    <Link key="rerun" to="/jobs/$id" params={{ id: job.rerun_of }}>
                      {job.rerun_of}
                    </Link>
                  ),
                  'wide',
                ],
                ['Owner', job.user_id],
                [
                  'Policy',
                  job.policy_id && (
                    <Link key="policy" to="/policies" search={{ search: job.url ?? undefined } as never}>
                      {job.policy_id}
                    </Link>
                  ),
                  'wide',
                ],
                [
                  'Intake',
                  typeof intakeId === 'string' && (
                    <Link key="intake" to="/intakes/$id" params={{ id: intakeId }}>
                      {typeof job.payload['title'] === 'string' ? job.payload['title'] : intakeId}
                    </Link>
                  ),
                  'wide',
                ],
                ['Source', job.source_id],
              ]}
            />
          </Panel>
          {job.status === 'processing' && <LeasePanel job={job} />}
          {job.kind === 'crawl' && <CrawlProgress job={job} />}
        </div>
      </Grid>
      <Tabs names={tabs} current={tab ?? 'timeline'} />
      {tab === 'timeline' && <Timeline jobId={id} />}
      {tab === 'pages' && <JobPages jobId={id} />}
      {tab === 'errors' && <JobErrors job={job} />}
      {tab === 'text' && <KeptText jobId={id} />}
      {tab === 'frontier' && <FrontierHosts jobId={id} />}
      {tab === 'prices' && <PricePoints jobId={id} />}
      {tab === 'result' && <JobResult job={job} />}
      {tab === 'payload' && (
        <Panel title="Payload">
          <pre>{JSON.stringify(job.payload, null, 2)}</pre>
        </Panel>
      )}
    </>
  );
}
