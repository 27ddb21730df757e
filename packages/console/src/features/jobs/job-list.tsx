import { jobKinds, jobStatuses, jobTitle, type ListedJob } from '@holdfast/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { countOf, useStats } from '../../api/stats.ts';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { countText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { ChipFilter, DateFilter, FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { ProgressBar } from '../../design/progress-bar.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { StatusBadge } from '../../design/status-badge.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { BulkActions } from './bulk-actions.tsx';
import styles from './job-list.module.css';
import { LeaseLeft } from './lease-left.tsx';
import { NewCrawl } from './new-crawl.tsx';
import { reasonText } from './reason-text.ts';
import { statusLabel } from './status-label.ts';

const filterNames = [
  'status',
  'kind',
  'executor',
  'search',
  'locked',
  'priority_min',
  'created_after',
  'created_before',
  'locked_after',
  'locked_before',
  'policy_id',
  'worker_id',
  'source_id',
  'intake_id',
] as const;

export const jobColumns: readonly Column<ListedJob>[] = [
  {
    name: 'Status',
    cell: (job) => <StatusBadge status={job.status} label={statusLabel(job)} />,
    value: (job) => job.status,
    filter: 'status',
  },
  {
    name: 'URL or item',
    grow: true,
    value: jobTitle,
    cell: (job) => (
      <>
        <Link to="/jobs/$id" params={{ id: job.id }} title={jobTitle(job)}>
          {jobTitle(job)}
        </Link>
        <Reason text={reasonText(job)} />
      </>
    ),
  },
  { name: 'Kind', cell: (job) => job.kind, wideOnly: true, value: (job) => job.kind, filter: 'kind' },
  {
    name: 'Holder',
    cell: (job) =>
      job.worker_id === null ? (
        '–'
      ) : (
        <span title={job.worker_id}>
          {job.worker_id}
          {job.lease_expires_at && (
            <>
              {' · '}
              <LeaseLeft until={job.lease_expires_at} />
            </>
          )}
        </span>
      ),
    wideOnly: true,
    value: (job) => job.worker_id,
    filter: 'worker_id',
  },
  { name: 'Priority', cell: (job) => job.priority, align: 'right', wideOnly: true },
  { name: 'Retries', cell: (job) => `${job.retry_count}/${job.max_retries}`, align: 'right', wideOnly: true },
  {
    name: 'Progress',
    cell: (job) => <ProgressBar percent={job.progress_percentage} />,
    align: 'right',
    wideOnly: true,
  },
  { name: 'Created', cell: (job) => <Moment at={job.created_at} />, align: 'right' },
];

function Reason({ text }: { readonly text: string | undefined }) {
  return (
    text !== undefined && (
      <span className={styles.reason} title={text}>
        {text}
      </span>
    )
  );
}

export function JobList() {
  const navigate = useNavigate();
  const mayWrite = useMay('jobs:write');
  const [state] = useSearchState();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [creating, setCreating] = useState(false);
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<ListedJob>('/api/v1/jobs', filter);
  const liveness = useLive('/api/v1/events', [['/api/v1/jobs']], { paused: selected.size > 0 });
  const { data: stats } = useStats();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <ViewHeader title="Jobs" liveness={liveness}>
        {mayWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden="true" /> Crawl a site
          </Button>
        )}
      </ViewHeader>
      <FilterBar
        clearable={filterNames}
        first={
          <>
            <TextFilter name="search" label="Search URLs" wide />
            <ChipFilter
              name="status"
              label="Status"
              choices={jobStatuses.map((value) => ({
                value,
                label: value,
                count: stats && countText(countOf(stats, value)),
              }))}
            />
          </>
        }
      >
        <SelectFilter name="kind" label="Kind" choices={jobKinds.map((value) => ({ value, label: value }))} />
        <SelectFilter
          name="locked"
          label="Locked"
          choices={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'no' },
          ]}
        />
        <SelectFilter
          name="priority_min"
          label="Priority"
          choices={['1', '5', '10', '100'].map((value) => ({ value, label: `${value} and up` }))}
        />
        <DateFilter name="created_after" label="Created after" />
        <DateFilter name="created_before" label="before" />
        <DateFilter name="locked_after" label="Locked after" />
        <DateFilter name="locked_before" label="before" />
      </FilterBar>
      {mayWrite && (
        <BulkActions
          selected={selected}
          filter={filter}
          hasRows={list.rows.length > 0}
          onDone={() => setSelected(new Set())}
        />
      )}
      <ListBody
        list={list}
        empty={
          isFiltered ? (
            <Notice title="No jobs match these filters" />
          ) : (
            <Notice
              title="No jobs yet"
              actions={
                mayWrite && (
                  <Button look="primary" onClick={() => setCreating(true)}>
                    Crawl a site
                  </Button>
                )
              }
            >
              A job is a crawl of a site, a visit to a page, or the collection of an item’s prices. It
              survives crashes and continues where it stopped.
            </Notice>
          )
        }
      >
        <DataTable
          label="Jobs"
          columns={jobColumns}
          rows={list.rows}
          idOf={(job) => job.id}
          onOpen={(job) => void navigate({ to: '/jobs/$id', params: { id: job.id } })}
          {...(mayWrite && { selected, onSelect: setSelected })}
        />
      </ListBody>
      <NewCrawl open={creating} onClose={() => setCreating(false)} />
    </>
  );
}
