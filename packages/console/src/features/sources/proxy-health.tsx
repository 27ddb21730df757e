import type { ApiProxy } from '@holdfast/contract';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { Moment } from '../../design/moment.tsx';
import { Panel } from '../../design/panel.tsx';
import { Tag } from '../../design/tag.tsx';
import styles from './proxy-health.module.css';

type Server = Wire<ApiProxy>['servers'][number];

const tones = { ok: 'good', unused: 'plain', failing: 'warning', resting: 'bad' } as const;
const words = { ok: 'works', unused: 'not used yet', failing: 'failing', resting: 'resting' } as const;

const columns: readonly Column<Server>[] = [
  { name: 'Server', grow: true, cell: ({ server, address }) => <span title={address}>{server}</span> },
  { name: 'Address', cell: ({ address }) => address, wideOnly: true },
  { name: 'State', cell: ({ state }) => <Tag tone={tones[state]}>{words[state]}</Tag> },
  {
    name: 'Last failure',
    cell: ({ last_failure }) => <span title={last_failure ?? undefined}>{last_failure ?? ''}</span>,
  },
  { name: 'Until', align: 'right', cell: ({ rests_until }) => <Moment at={rests_until} />, wideOnly: true },
  { name: 'Requests', align: 'right', cell: ({ requests }) => numberText(requests) },
  { name: 'Failed', align: 'right', cell: ({ failures }) => numberText(failures) },
  {
    name: 'Last success',
    align: 'right',
    cell: ({ last_success_at }) => <Moment at={last_success_at} />,
    wideOnly: true,
  },
];

/** The servers of all proxies, for operators. Hidden if there are none. */
export function ProxyHealth() {
  const { rows } = useList<Wire<ApiProxy>>('/api/v1/proxies');
  if (rows.length === 0) return null;
  return (
    <div className={styles.proxies}>
      <Panel title="Proxies">
        <DataTable
          label="Proxies"
          columns={columns}
          rows={rows.flatMap(({ servers }) => servers)}
          idOf={({ server }) => server}
        />
      </Panel>
    </div>
  );
}
