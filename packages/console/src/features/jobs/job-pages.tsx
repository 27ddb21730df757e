import { type ListedPage, pageChanges, pageOutcomes } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { fetchedBy, fetchedByText } from '../pages/fetched-by.ts';

type Page = Wire<ListedPage>;
const filterNames = ['outcome', 'change', 'rendered', 'search'] as const;

const pageColumns: readonly Column<Page>[] = [
  {
    name: 'URL',
    grow: true,
    value: (page) => page.url,
    cell: (page) => (
      <Link to="/pages/$jobId/$hash" params={{ jobId: page.job_id, hash: page.url_hash }} title={page.url}>
        {page.url}
      </Link>
    ),
  },
  {
    name: 'Title',
    cell: (page) => <span title={page.title ?? ''}>{page.title ?? '–'}</span>,
    wideOnly: true,
  },
  {
    name: 'Outcome',
    cell: (page) => (page.reason ? `${page.outcome}: ${page.reason}` : page.outcome),
    value: (page) => page.outcome,
    filter: 'outcome',
  },
  { name: 'Status', align: 'right', cell: (page) => page.status ?? '–' },
  { name: 'Words', align: 'right', cell: (page) => wordsText(page), wideOnly: true },
  { name: 'Change', cell: (page) => page.change ?? '–', wideOnly: true },
  {
    name: 'By',
    cell: (page) => <span title={fetchedByText(page) ?? ''}>{fetchedBy(page) ?? '–'}</span>,
    wideOnly: true,
  },
  { name: 'Fetched', align: 'right', cell: (page) => <Moment at={page.fetched_at} /> },
];

function wordsText({ word_count }: Page): string {
  return word_count === null ? '–' : numberText(word_count);
}

interface PageTableProps {
  readonly path: string;
  readonly order?: 'newest';
  /** What to do if the list is empty. */
  readonly actions?: ReactNode;
}

/** The pages of one job, or of all. */
export function PageTable({ path, order, actions }: PageTableProps) {
  const [state] = useSearchState();
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<Page>(path, { ...filter, ...(order && { order }) });
  return (
    <>
      <FilterBar
        clearable={filterNames}
        first={<TextFilter name="search" label="Search URLs and titles" wide />}
      >
        <SelectFilter
          name="outcome"
          label="Outcome"
          choices={pageOutcomes.map((value) => ({ value, label: value }))}
        />
        <SelectFilter
          name="change"
          label="Change"
          choices={pageChanges.map((value) => ({ value, label: value }))}
        />
        <SelectFilter
          name="rendered"
          label="Fetched by"
          choices={[
            { value: 'true', label: 'browser' },
            { value: 'false', label: 'HTTP' },
          ]}
        />
      </FilterBar>
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No pages match these filters" />
          ) : (
            <Notice title="No pages yet" actions={actions}>
              A page is the outcome of one URL: fetched, failed, skipped or redirected.
            </Notice>
          )
        }
      >
        <DataTable
          label="Pages"
          columns={pageColumns}
          rows={list.rows}
          idOf={(page) => `${page.job_id} ${page.url_hash}`}
        />
      </ListBody>
    </>
  );
}

export function JobPages({ jobId }: { readonly jobId: string }) {
  return <PageTable path={`/api/v1/jobs/${jobId}/pages`} order="newest" />;
}
