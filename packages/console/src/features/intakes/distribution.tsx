import type { ApiValuation, Distribution as Contract } from '@holdfast/contract';
import { useMemo } from 'react';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { ChartLater } from '../../design/chart-later.tsx';
import { decimalText } from '../../design/count-text.ts';
import { FormError } from '../../design/form.tsx';
import { Facts, Panel } from '../../design/panel.tsx';
import styles from './distribution.module.css';

type Shown = Wire<Contract>;
const percentiles = ['p10', 'p20', 'p40', 'median', 'p60', 'p80', 'p90'] as const;

/** The distribution of prices: comparable prices as bars, percentiles marked, outliers separate. */
export function Distribution({ valuation }: { readonly valuation: Wire<ApiValuation> }) {
  const { data, error } = useOne<Shown>(`/api/v1/valuations/${valuation.intake_id}/distribution`);
  const picture = useMemo(() => data && pictureOf(data), [data]);
  const marks = useMemo(
    () =>
      percentiles.map((name) => ({
        at: Number(valuation[name]),
        label: name,
        isStrong: name === 'median',
      })),
    [valuation],
  );
  return (
    <Panel title={`Distribution of prices, ${valuation.currency}`}>
      <FormError error={error} />
      {data && picture && (
        <>
          <ChartLater
            label={`${valuation.comparables} prices; half of them below ${decimalText(valuation.median)} ${valuation.currency}`}
            {...picture}
            marks={marks}
            height={340}
          />
          {data.outliers.length > 0 && (
            <p className={styles.outliers}>
              <span className={styles.dot} aria-hidden="true" /> Outliers, which decide nothing:{' '}
              {data.outliers.map(({ price, source_id }) => `${decimalText(price)} (${source_id})`).join(', ')}
              {valuation.outliers > data.outliers.length && ' and more'}
            </p>
          )}
        </>
      )}
      <div className={styles.percentiles}>
        <Facts facts={percentiles.map((name) => [name, decimalText(valuation[name])])} />
      </div>
    </Panel>
  );
}

/** Space beside the bars for outliers, however distant; their values are listed below. */
const besideShare = 0.12;

function pictureOf({ bins, outliers }: Shown) {
  const low = Number(bins[0]?.from);
  const high = Number(bins.at(-1)?.to);
  const width = high - low || Math.max(1, Math.abs(high) * 0.1);
  const beside = outliers.length > 0 ? width * besideShare : 0;
  const range: [number, number] = [low - beside - width * 0.02, high + beside + width * 0.02];
  const place = (price: number) =>
    price < low ? Math.max(price, low - beside * 0.7) : Math.min(price, high + beside * 0.7);
  const bars = bins.map(({ from, to, sold, ask }) => ({ at: (Number(from) + Number(to)) / 2, sold, ask }));
  const apart = new Map<number, number>();
  for (const { price } of outliers) {
    const at = place(Number(price));
    apart.set(at, (apart.get(at) ?? 0) + 1);
  }
  const points = [
    ...bars.map(({ at, sold, ask }) => ({
      at,
      sold: some(sold),
      all: some(sold + ask),
      outliers: undefined,
    })),
    ...[...apart].map(([at, count]) => ({ at, sold: undefined, all: undefined, outliers: count })),
  ].sort((a, b) => a.at - b.at);
  const hasAsks = bars.some(({ ask }) => ask > 0);
  const hasSales = bars.some(({ sold }) => sold > 0);
  const series = [
    hasAsks && {
      label: 'asked',
      colour: 'chart-3',
      look: 'bars' as const,
      values: points.map(({ all }) => all),
    },
    hasSales && {
      label: 'sold',
      colour: 'chart-1',
      look: 'bars' as const,
      values: points.map(({ sold }) => sold),
    },
    apart.size > 0 && {
      label: 'outliers',
      colour: 'failed',
      look: 'points' as const,
      values: points.map((point) => point.outliers),
    },
  ].filter((one) => one !== false);
  return { x: points.map(({ at }) => at), series, range };
}

/** An empty bar would be drawn as a line. */
function some(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
