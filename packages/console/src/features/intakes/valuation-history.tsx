import type { HistoricValuation } from '@holdfast/contract';
import { useMemo } from 'react';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { ChartLater } from '../../design/chart-later.tsx';
import { decimalText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { Panel } from '../../design/panel.tsx';
import { ConfidenceTag } from './confidence-tag.tsx';
import styles from './intake-detail.module.css';

type Past = Wire<HistoricValuation>;

const columns: readonly Column<Past>[] = [
  { name: 'Valued', grow: true, cell: ({ valued_at }) => <Moment at={valued_at} /> },
  { name: 'Median', align: 'right', cell: ({ median, currency }) => `${decimalText(median)} ${currency}` },
  { name: 'p20 to p80', align: 'right', cell: ({ p20, p80 }) => `${decimalText(p20)} – ${decimalText(p80)}` },
  { name: 'Confidence', cell: ({ confidence }) => <ConfidenceTag confidence={confidence} /> },
  { name: 'Comparables', align: 'right', cell: ({ comparables }) => comparables, wideOnly: true },
  { name: 'Sources', align: 'right', cell: ({ sources }) => sources, wideOnly: true },
];

/** Earlier valuations; each row differs from the one below. */
export function ValuationHistory({ intakeId }: { readonly intakeId: string }) {
  const list = useList<Past>(`/api/v1/valuations/${intakeId}/history`);
  const { rows } = list;
  const currency = rows[0]?.currency;
  const past = useMemo(() => rows.filter((row) => row.currency === currency).toReversed(), [rows, currency]);
  const x = useMemo(() => past.map(({ valued_at }) => Date.parse(valued_at) / 1000), [past]);
  const series = useMemo(
    // The chart may round; the numbers beside it do not.
    () => [
      { label: 'median', colour: 'chart-1', values: past.map(({ median }) => Number(median)) },
      { label: 'p20', colour: 'chart-2', look: 'bare' as const, values: past.map(({ p20 }) => Number(p20)) },
      { label: 'p80', colour: 'chart-4', look: 'bare' as const, values: past.map(({ p80 }) => Number(p80)) },
    ],
    [past],
  );
  return (
    <ListBody
      list={list}
      empty={
        <Notice title="No valuations yet">
          Every valuation that differs from the previous one is listed here.
        </Notice>
      }
    >
      {past.length > 1 && (
        <div className={styles.picture}>
          <Panel title={`Value over time, ${currency}`}>
            <ChartLater label="Median, p20 and p80 over time" x={x} series={series} fromZero={false} />
          </Panel>
        </div>
      )}
      <DataTable label="Valuations" columns={columns} rows={rows} idOf={({ id }) => id} />
    </ListBody>
  );
}
