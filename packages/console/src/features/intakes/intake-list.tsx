import type { ListedIntake } from '@holdfast/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Plus, SearchCheck, Upload } from 'lucide-react';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { decimalText, numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { ViewHeader } from '../../design/view-header.tsx';
import { attributeText } from './attribute-text.ts';
import { ConfidenceTag } from './confidence-tag.tsx';
import { ImportIntakes } from './import-intakes.tsx';
import { IntakeForm } from './intake-form.tsx';
import styles from './intake-list.module.css';
import { intakeName } from './intake-name.ts';
import { useCollect } from './use-collect.ts';

type ShownIntake = Wire<ListedIntake>;
const path = '/api/v1/intakes';
const filterNames = ['search', 'tag', 'reference', 'valued', 'confidence_min'] as const;
/** Points are counted no further. */
const countedPoints = 1000;

const columns: readonly Column<ShownIntake>[] = [
  {
    name: 'Item',
    grow: true,
    value: intakeName,
    cell: (intake) => (
      <Link to="/intakes/$id" params={{ id: intake.id }} title={intakeName(intake)}>
        {intakeName(intake)}
      </Link>
    ),
  },
  {
    name: 'Attributes',
    cell: ({ attributes }) => <span title={attributeText(attributes)}>{attributeText(attributes)}</span>,
    wideOnly: true,
  },
  {
    name: 'Tags',
    cell: ({ tags }) => <span title={tags.join(', ')}>{tags.join(', ') || '–'}</span>,
    wideOnly: true,
    value: ({ tags }) => (tags.length === 1 ? tags[0] : null),
    filter: 'tag',
  },
  {
    name: 'Median',
    align: 'right',
    cell: ({ valuation }) => (valuation ? `${decimalText(valuation.median)} ${valuation.currency}` : '–'),
  },
  {
    name: 'Confidence',
    cell: ({ valuation, points }) => {
      if (valuation) return <ConfidenceTag confidence={valuation.confidence} />;
      return points > 0 ? 'no comparable price' : 'no price yet';
    },
  },
  {
    name: 'Prices',
    align: 'right',
    cell: ({ points }) => `${numberText(points)}${points >= countedPoints ? '+' : ''}`,
  },
  { name: 'Changed', align: 'right', cell: (intake) => <Moment at={lastChange(intake)} /> },
];

export function IntakeList() {
  const navigate = useNavigate();
  const mayWrite = useMay('jobs:write');
  const [state] = useSearchState();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [edited, setEdited] = useState<ShownIntake | 'new'>();
  const [importing, setImporting] = useState(false);
  const collect = useCollect(() => setSelected(new Set()));
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<ShownIntake>(path, filter);
  const liveness = useLive('/api/v1/events?kind=collect&status=completed', [[path]], {
    paused: selected.size > 0,
  });
  const withActions: readonly Column<ShownIntake>[] = [
    ...columns,
    {
      name: 'Actions',
      align: 'right',
      cell: (intake) => (
        <>
          <Button
            small
            look="quiet"
            title="Collect now"
            aria-label={`Collect the prices of ${intakeName(intake)} now`}
            disabled={collect.isPending}
            onClick={() => collect.mutate([intake.id])}
          >
            <SearchCheck aria-hidden="true" />
          </Button>
          <Button
            small
            look="quiet"
            title="Edit"
            aria-label={`Edit ${intakeName(intake)}`}
            onClick={() => setEdited(intake)}
          >
            <Pencil aria-hidden="true" />
          </Button>
        </>
      ),
    },
  ];
  const make = (
    <>
      <Button onClick={() => setImporting(true)}>
        <Upload aria-hidden="true" /> Import
      </Button>
      <Button look="primary" onClick={() => setEdited('new')}>
        <Plus aria-hidden="true" /> New intake
      </Button>
    </>
  );
  return (
    <>
      <ViewHeader title="Intakes" liveness={liveness}>
        {mayWrite && make}
      </ViewHeader>
      <FilterBar clearable={filterNames} first={<TextFilter name="search" label="Search titles" wide />}>
        <TextFilter name="tag" label="Tag" />
        <TextFilter name="reference" label="Reference" />
        <SelectFilter
          name="valued"
          label="Valued"
          choices={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'not yet' },
          ]}
        />
        <SelectFilter
          name="confidence_min"
          label="Confidence"
          choices={['4', '7', '9'].map((value) => ({ value, label: `${value} and up` }))}
        />
      </FilterBar>
      {mayWrite && selected.size > 0 && (
        <section className={styles.bar} aria-label="Bulk actions">
          <strong>{selected.size} selected</strong>
          <Button small disabled={collect.isPending} onClick={() => collect.mutate([...selected])}>
            <SearchCheck aria-hidden="true" /> Collect now
          </Button>
          <Button small look="quiet" onClick={() => setSelected(new Set())}>
            Deselect
          </Button>
        </section>
      )}
      <FormError error={collect.error} />
      {collect.isSuccess && (
        <p role="status" className={styles.said}>
          {collect.data}
        </p>
      )}
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No intakes match these filters" />
          ) : (
            <Notice title="No intakes yet" actions={mayWrite && make}>
              An intake is an item to be priced, such as a coin, a camera or a part. Holdfast queries every
              source with an adapter and computes a valuation with its confidence. On the command line:{' '}
              <code>holdfast intakes import items.csv</code>
            </Notice>
          )
        }
      >
        <DataTable
          label="Intakes"
          columns={mayWrite ? withActions : columns}
          rows={list.rows}
          idOf={(intake) => intake.id}
          nameOf={intakeName}
          onOpen={(intake) => void navigate({ to: '/intakes/$id', params: { id: intake.id } })}
          {...(mayWrite && { selected, onSelect: setSelected })}
        />
      </ListBody>
      <IntakeForm edited={edited} onClose={() => setEdited(undefined)} />
      <ImportIntakes open={importing} onClose={() => setImporting(false)} />
    </>
  );
}

/** Of the item or its valuation, whichever is later. */
function lastChange({ updated_at, valuation }: ShownIntake): string {
  return valuation && valuation.valued_at > updated_at ? valuation.valued_at : updated_at;
}
