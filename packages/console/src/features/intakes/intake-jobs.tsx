import type { ListedJob } from '@holdfast/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useList } from '../../api/use-list.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { StatusBadge } from '../../design/status-badge.tsx';
import { reasonText } from '../jobs/reason-text.ts';
import { statusLabel } from '../jobs/status-label.ts';

const columns: readonly Column<ListedJob>[] = [
  { name: 'Status', cell: (job) => <StatusBadge status={job.status} label={statusLabel(job)} /> },
  {
    name: 'Source',
    grow: true,
    cell: (job) => (
      <Link to="/jobs/$id" params={{ id: job.id }} title={job.source_id ?? job.id}>
        {job.source_id ?? job.id}
      </Link>
    ),
  },
  {
    name: 'Reason',
    cell: (job) => reasonText(job) ?? '–',
    wideOnly: true,
  },
  { name: 'Retries', align: 'right', cell: (job) => `${job.retry_count}/${job.max_retries}`, wideOnly: true },
  { name: 'Created', align: 'right', cell: (job) => <Moment at={job.created_at} /> },
  { name: 'Finished', align: 'right', cell: (job) => <Moment at={job.completed_at} />, wideOnly: true },
];

/** The collect jobs of an intake and their outcomes. */
export function IntakeJobs({ intakeId }: { readonly intakeId: string }) {
  const navigate = useNavigate();
  const list = useList<ListedJob>('/api/v1/jobs', { intake_id: intakeId });
  return (
    <ListBody
      list={list}
      empty={
        <Notice title="No prices have been collected yet">
          “Collect now” creates a job for every source with an adapter.
        </Notice>
      }
    >
      <DataTable
        label="Jobs of the intake"
        columns={columns}
        rows={list.rows}
        idOf={(job) => job.id}
        onOpen={(job) => void navigate({ to: '/jobs/$id', params: { id: job.id } })}
      />
    </ListBody>
  );
}
