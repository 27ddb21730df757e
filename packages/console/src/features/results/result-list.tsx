import type { ListedResult } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { DateFilter, FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { ViewHeader } from '../../design/view-header.tsx';
import { priceText } from './price-text.ts';
import { StockTag } from './stock-tag.tsx';

type Result = Wire<ListedResult>;
const filterNames = ['currency', 'in_stock', 'crawled_after', 'crawled_before', 'url', 'policy_id'] as const;

const columns: readonly Column<Result>[] = [
  {
    name: 'URL',
    grow: true,
    value: (result) => result.url,
    filter: 'url',
    cell: (result) => (
      <Link to="/results/$id" params={{ id: result.id }} title={result.url}>
        {result.url}
      </Link>
    ),
  },
  {
    name: 'Title',
    cell: (result) => <span title={result.title ?? ''}>{result.title ?? '–'}</span>,
    wideOnly: true,
  },
  { name: 'Price', align: 'right', cell: priceText, value: (result) => result.currency, filter: 'currency' },
  { name: 'Stock', cell: ({ in_stock }) => (in_stock === null ? '–' : <StockTag in_stock={in_stock} />) },
  { name: 'Submitted by', cell: (result) => result.actor, wideOnly: true },
  { name: 'Crawled', align: 'right', cell: (result) => <Moment at={result.crawled_at} /> },
];

export function ResultList() {
  const [state] = useSearchState();
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<Result>('/api/v1/results', filter);
  const liveness = useLive('/api/v1/events?kind=visit&status=completed', [['/api/v1/results']]);
  return (
    <>
      <ViewHeader title="Results" liveness={liveness} />
      <FilterBar clearable={filterNames} first={<TextFilter name="url" label="Exact URL" wide />}>
        <SelectFilter
          name="currency"
          label="Currency"
          choices={['USD', 'EUR', 'GBP', 'JPY', 'VND', 'CHF'].map((value) => ({ value, label: value }))}
        />
        <SelectFilter
          name="in_stock"
          label="In stock"
          choices={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'no' },
          ]}
        />
        <DateFilter name="crawled_after" label="Crawled after" />
        <DateFilter name="crawled_before" label="before" />
      </FilterBar>
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No results match these filters" />
          ) : (
            <Notice title="No results yet" actions={<Link to="/policies">Go to policies</Link>}>
              A result is what a visit read from a product page: price, stock, title. To get results, create a
              policy of kind visit.
            </Notice>
          )
        }
      >
        <DataTable label="Results" columns={columns} rows={list.rows} idOf={(result) => result.id} />
      </ListBody>
    </>
  );
}
