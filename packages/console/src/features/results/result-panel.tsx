import type { HistoricPrice, ShownResult } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { ChartLater } from '../../design/chart-later.tsx';
import { Failed } from '../../design/failed.tsx';
import { FormError } from '../../design/form.tsx';
import { Moment } from '../../design/moment.tsx';
import { OutsideLink } from '../../design/outside-link.tsx';
import { Facts, Grid, Panel } from '../../design/panel.tsx';
import { priceText } from './price-text.ts';
import { StockTag } from './stock-tag.tsx';

/** One result, and the prices of the same URL over time. */
export function ResultPanel({ id }: { readonly id: string }) {
  const { data: result, error, refetch } = useOne<Wire<ShownResult>>(`/api/v1/results/${id}`);
  if (error && !result)
    return (
      <Failed
        error={error}
        again={refetch}
        gone={{ title: 'Result not found', text: 'It may belong to another owner.' }}
      />
    );
  if (!result) return null;
  return (
    <>
      <Grid min={420}>
        <Panel title="Result">
          <Facts
            facts={[
              ['Title', result.title, 'wide'],
              ['Price', priceText(result)],
              ['Stock', <StockTag key="stock" in_stock={result.in_stock} />],
              ['URL', <OutsideLink key="url" url={result.url} />, 'wide'],
              ['Crawled', <Moment key="at" at={result.crawled_at} />],
              ['Submitted by', result.actor],
              [
                'Job',
                <Link key="job" to="/jobs/$id" params={{ id: result.job_id }}>
                  {result.job_id}
                </Link>,
                'wide',
              ],
            ]}
          />
        </Panel>
        <PriceHistory result={result} />
      </Grid>
      <Panel title="Parsed data">
        <pre>{JSON.stringify(result.parsed_data, null, 2)}</pre>
      </Panel>
    </>
  );
}

function PriceHistory({ result }: { readonly result: Wire<ShownResult> }) {
  const { data, error } = useOne<{ data: readonly Wire<HistoricPrice>[] }>('/api/v1/price-history', {
    ...(result.policy_id ? { policy_id: result.policy_id } : { url: result.url }),
    ...(result.currency && { currency: result.currency }),
    limit: 500,
  });
  const points = useMemo(
    () => [...(data?.data ?? [])].sort((a, b) => Date.parse(a.crawled_at) - Date.parse(b.crawled_at)),
    [data],
  );
  const x = useMemo(() => points.map((point) => Date.parse(point.crawled_at) / 1000), [points]);
  const series = useMemo(
    // The chart may round; the numbers beside it do not.
    () => [
      {
        label: result.currency ?? 'price',
        colour: 'chart-1',
        values: points.map((point) => Number(point.price)),
      },
    ],
    [points, result.currency],
  );
  return (
    <Panel title="Price history">
      <FormError error={error} />
      {points.length < 2 ? (
        data && <p>{points.length === 0 ? 'No price yet.' : 'One price so far.'}</p>
      ) : (
        <ChartLater label="Prices over time" x={x} series={series} fromZero={false} />
      )}
    </Panel>
  );
}
