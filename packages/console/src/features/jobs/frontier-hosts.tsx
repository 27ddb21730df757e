import type { FrontierSummary } from '@holdfast/contract';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { delayText, numberText, plural } from '../../design/count-text.ts';
import { DataTable } from '../../design/data-table.tsx';
import { Failed } from '../../design/failed.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import styles from './job-detail.module.css';

type Host = Wire<FrontierSummary>['data'][number];

/** The remaining URLs of a crawl by host, with the reason that delays each host. */
export function FrontierHosts({ jobId }: { readonly jobId: string }) {
  const { data, error, refetch } = useOne<Wire<FrontierSummary>>(`/api/v1/jobs/${jobId}/frontier`, {}, 3_000);
  if (error && !data) return <Failed error={error} again={refetch} />;
  if (!data) return null;
  if (data.data.length === 0)
    return <Notice title="No URLs left">Every URL that was found has been processed.</Notice>;
  return (
    <>
      <p className={styles.summary}>
        {plural(data.total_pending, 'URL')} left on{' '}
        {data.hosts_exact ? plural(data.hosts, 'host') : `${numberText(data.hosts)}+ hosts`}.
      </p>
      <DataTable<Host>
        label="Hosts with URLs left"
        rows={data.data}
        idOf={(host) => host.host}
        columns={[
          { name: 'Host', grow: true, cell: (host) => <span title={host.host}>{host.host}</span> },
          { name: 'Left', align: 'right', cell: (host) => numberText(host.pending) },
          { name: 'Done', align: 'right', cell: (host) => numberText(host.done) },
          {
            name: 'Delay',
            align: 'right',
            cell: (host) => delayText(host.delay_ms),
            wideOnly: true,
          },
          { name: 'Concurrency', align: 'right', cell: (host) => host.concurrency, wideOnly: true },
          { name: 'Limit', align: 'right', cell: (host) => limitText(host), wideOnly: true },
          { name: 'Breaker', cell: (host) => (host.paused ? `paused, ${host.breaker}` : host.breaker) },
          {
            name: 'Next request',
            align: 'right',
            cell: (host) => <Moment at={host.next_ready_at} />,
            wideOnly: true,
          },
        ]}
      />
    </>
  );
}

function limitText({ rate_limit_per_minute: limit }: Host): string {
  return limit === null ? 'none' : `${numberText(limit)}/min`;
}
