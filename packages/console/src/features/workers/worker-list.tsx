import type { ApiWorker } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { Tag } from '../../design/tag.tsx';
import { ViewHeader } from '../../design/view-header.tsx';

type Worker = Wire<ApiWorker>;
const tones = { alive: 'good', sick: 'bad', draining: 'warning', silent: 'bad' } as const;

const columns: readonly Column<Worker>[] = [
  {
    name: 'Worker',
    grow: true,
    cell: (worker) => (
      <Link to="/jobs" search={{ worker_id: worker.id } as never} title={`Jobs of ${worker.id}`}>
        {worker.id}
      </Link>
    ),
  },
  { name: 'State', cell: (worker) => <Tag tone={tones[worker.state]}>{worker.state}</Tag> },
  { name: 'Why', cell: (worker) => worker.trouble ?? '' },
  { name: 'Host', cell: (worker) => worker.host ?? '–' },
  { name: 'Process', align: 'right', cell: (worker) => worker.pid ?? '–', wideOnly: true },
  { name: 'Load', align: 'right', cell: (worker) => loadText(worker) },
  {
    name: 'Renders',
    cell: (worker) => (
      <span title={worker.browser ?? worker.browser_problem ?? undefined}>
        {worker.browser !== null ? 'yes' : worker.browser_problem !== null ? 'no' : '–'}
      </span>
    ),
    wideOnly: true,
  },
  { name: 'Version', cell: (worker) => worker.version, wideOnly: true },
  { name: 'Since', align: 'right', cell: (worker) => <Moment at={worker.started_at} />, wideOnly: true },
  { name: 'Seen', align: 'right', cell: (worker) => <Moment at={worker.last_seen} /> },
];

function loadText({ running_jobs, max_jobs }: Worker): string {
  // A one-shot crawl runs only its own job.
  if (max_jobs === 0) return `${numberText(running_jobs)}, one-shot`;
  return `${numberText(running_jobs)} of ${numberText(max_jobs)}`;
}

export function WorkerList() {
  const list = useList<Worker>('/api/v1/workers');
  return (
    <>
      <ViewHeader title="Workers" />
      <ListBody
        list={list}
        empty={
          <Notice title="No worker is running">
            Jobs wait for a worker. Start one on any machine that reaches the database:{' '}
            <code>holdfast worker</code>
          </Notice>
        }
      >
        <DataTable label="Workers" columns={columns} rows={list.rows} idOf={(worker) => worker.id} />
      </ListBody>
    </>
  );
}
