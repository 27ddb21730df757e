import type { KeptText as KeptTextReport } from '@holdfast/contract';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { numberText, plural } from '../../design/count-text.ts';
import { DataTable } from '../../design/data-table.tsx';
import { Failed } from '../../design/failed.tsx';
import { Notice } from '../../design/notice.tsx';
import styles from './job-detail.module.css';

type Host = Wire<KeptTextReport>['data'][number];

/** How much of what a reader sees became markdown, by host, so that a bad extraction shows. */
export function KeptText({ jobId }: { readonly jobId: string }) {
  const { data, error, refetch } = useOne<Wire<KeptTextReport>>(`/api/v1/jobs/${jobId}/kept-text`, {});
  if (error && !data) return <Failed error={error} again={refetch} />;
  if (!data) return null;
  if (data.data.length === 0)
    return <Notice title="No text yet">No fetched page has text, or the crawl stores no markdown.</Notice>;
  return (
    <>
      <p className={styles.summary}>
        Visible words that became markdown, on {data.exact ? '' : 'the newest '}
        {plural(data.pages, 'page')} of {plural(data.hosts, 'host')}; the smallest share first. Menus and
        footers are left out. To see which parts of a page: <code>holdfast extract URL --explain</code>
      </p>
      <DataTable<Host>
        label="Text kept by host"
        rows={data.data}
        idOf={(host) => host.host}
        columns={[
          { name: 'Host', grow: true, cell: (host) => <span title={host.host}>{host.host}</span> },
          { name: 'Kept', align: 'right', cell: (host) => `${host.kept_percent} %` },
          { name: 'Words', align: 'right', cell: (host) => numberText(host.words) },
          { name: 'Visible', align: 'right', cell: (host) => numberText(host.visible_words) },
          { name: 'Pages', align: 'right', cell: (host) => numberText(host.pages), wideOnly: true },
        ]}
      />
    </>
  );
}
