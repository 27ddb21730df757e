import { type ListedPricePoint, priceTypes } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { decimalText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { OutsideLink } from '../../design/outside-link.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { Tag } from '../../design/tag.tsx';

type Point = Wire<ListedPricePoint>;
const path = '/api/v1/price-points';
const filterNames = ['price_type', 'currency', 'source_id'] as const;

const columns: readonly Column<Point>[] = [
  {
    name: 'Listing',
    grow: true,
    value: (point) => point.listing_url ?? point.listing_title,
    cell: (point) => <ListingLink point={point} />,
  },
  { name: 'Price', align: 'right', cell: (point) => decimalText(point.price) },
  {
    name: 'Currency',
    cell: (point) => point.currency,
    value: (point) => point.currency,
    filter: 'currency',
  },
  {
    name: 'Type',
    cell: (point) => <Tag tone={point.price_type === 'sold' ? 'good' : 'plain'}>{point.price_type}</Tag>,
    value: (point) => point.price_type,
    filter: 'price_type',
  },
  {
    name: 'Match',
    align: 'right',
    cell: (point) => `${Math.round(Number(point.match_strength) * 100)} %`,
  },
  {
    name: 'Source',
    cell: (point) => <span title={point.source_id}>{point.source_id}</span>,
    value: (point) => point.source_id,
    filter: 'source_id',
  },
  {
    name: 'Submitted by',
    cell: (point) =>
      point.job_id ? (
        <Link to="/jobs/$id" params={{ id: point.job_id }} title={point.actor}>
          {point.actor}
        </Link>
      ) : (
        <span title={point.actor}>{point.actor}</span>
      ),
    wideOnly: true,
  },
  {
    name: 'Dated',
    align: 'right',
    cell: (point) => <Moment at={point.listing_date ?? point.observed_at} />,
  },
];

interface PricePointsProps {
  readonly intakeId?: string;
  readonly jobId?: string;
}

/** The observed prices of an intake or of a job. */
export function PricePoints({ intakeId, jobId }: PricePointsProps) {
  const mayWrite = useMay('jobs:write');
  const client = useQueryClient();
  const [state] = useSearchState();
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<Point>(path, { intake_id: intakeId, job_id: jobId, ...filter });
  const [wrong, setWrong] = useState<Point>();
  const remove = useMutation({
    mutationFn: (id: string) => request(`${path}/${id}`, { method: 'DELETE' }),
    onSuccess: () => setWrong(undefined),
    onSettled: () => client.invalidateQueries(),
  });
  const withActions: readonly Column<Point>[] = [
    ...columns,
    {
      name: 'Actions',
      align: 'right',
      cell: (point) => (
        <Button
          small
          look="quiet"
          title="Delete: not a price of this item"
          aria-label={`Delete price ${point.price} ${point.currency}`}
          onClick={() => setWrong(point)}
        >
          <Trash2 aria-hidden="true" />
        </Button>
      ),
    },
  ];
  return (
    <>
      <FilterBar clearable={filterNames}>
        <SelectFilter
          name="price_type"
          label="Type"
          choices={priceTypes.map((value) => ({ value, label: value }))}
        />
        <TextFilter name="source_id" label="Source" />
        <TextFilter name="currency" label="Currency" />
      </FilterBar>
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No prices match these filters" />
          ) : (
            <Notice title="No prices yet">
              A price is what a source reported for the item: sold, ask or bid, with the strength of the
              match.
            </Notice>
          )
        }
      >
        <DataTable
          label="Prices"
          columns={mayWrite && intakeId ? withActions : columns}
          rows={list.rows}
          idOf={(point) => point.id}
        />
      </ListBody>
      <Dialog
        open={wrong !== undefined}
        onClose={() => setWrong(undefined)}
        title="Delete price"
        actions={
          <>
            <Button onClick={() => setWrong(undefined)}>Back</Button>
            <Button
              look="danger"
              disabled={remove.isPending}
              onClick={() => wrong && remove.mutate(wrong.id)}
            >
              Delete
            </Button>
          </>
        }
      >
        <p>
          {wrong && decimalText(wrong.price)} {wrong?.currency} is no price of the item? It goes, and the item
          is valued without it.
        </p>
        <FormError error={remove.error} />
      </Dialog>
    </>
  );
}

function ListingLink({ point }: { readonly point: Point }) {
  const text = point.listing_title ?? point.listing_url ?? point.external_id ?? 'no listing';
  return point.listing_url ? (
    <OutsideLink url={point.listing_url} text={text} />
  ) : (
    <span title={text}>{text}</span>
  );
}
