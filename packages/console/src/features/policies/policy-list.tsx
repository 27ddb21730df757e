import { type ApiPolicy, policyKinds } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Play, Plus, Power } from 'lucide-react';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { plural } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { DateFilter, FilterBar, SelectFilter, TextFilter } from '../../design/filter-bar.tsx';
import { FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Notice } from '../../design/notice.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { Tag } from '../../design/tag.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { NextRun } from './next-run.tsx';
import { PolicyForm } from './policy-form.tsx';

const filterNames = [
  'enabled',
  'kind',
  'priority',
  'search',
  'created_after',
  'next_run_before',
  'next_run_after',
] as const;
const path = '/api/v1/policies';

export function PolicyList() {
  const mayWrite = useMay('jobs:write');
  const client = useQueryClient();
  const [state] = useSearchState();
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<ApiPolicy>(path, filter);
  const liveness = useLive('/api/v1/events', [[path]]);
  const [edited, setEdited] = useState<ApiPolicy | 'new'>();
  const act = useMutation({
    mutationFn: ({ id, action }: { id: string; action: 'run' | 'enable' | 'disable' }) =>
      request(`${path}/${id}/${action}`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
  const columns: Column<ApiPolicy>[] = [
    {
      name: 'URL',
      grow: true,
      value: (policy) => policy.url,
      cell: (policy) => <span title={policy.url}>{policy.url}</span>,
    },
    {
      name: 'Kind',
      cell: (policy) => `${policy.kind}${policy.executor === 'bot' ? ' by bot' : ''}`,
      wideOnly: true,
      value: (policy) => policy.kind,
      filter: 'kind',
    },
    {
      name: 'Priority',
      align: 'right',
      cell: (policy) => <Tag tone={policy.priority >= 10 ? 'warning' : 'plain'}>{policy.priority}</Tag>,
    },
    { name: 'Every', align: 'right', cell: (policy) => everyText(policy.frequency_hours) },
    {
      name: 'Status',
      cell: (policy) =>
        policy.live_job_id ? (
          <Link to="/jobs/$id" params={{ id: policy.live_job_id }}>
            running
          </Link>
        ) : (
          <Tag tone={policy.enabled ? 'good' : 'plain'}>{policy.enabled ? 'enabled' : 'disabled'}</Tag>
        ),
    },
    { name: 'Next run', align: 'right', cell: (policy) => <NextRun policy={policy} /> },
    {
      name: 'Failures',
      align: 'right',
      cell: (policy) =>
        policy.failure_count > 0 ? (
          <Link to="/jobs" search={{ policy_id: policy.id } as never} title="Jobs and errors">
            <Tag tone="bad">{policy.failure_count}</Tag>
          </Link>
        ) : (
          '0'
        ),
      wideOnly: true,
    },
  ];
  if (mayWrite)
    columns.push({
      name: 'Actions',
      align: 'right',
      cell: (policy) => (
        <>
          <Button
            small
            look="quiet"
            title="Run now"
            aria-label={`Run ${policy.url} now`}
            onClick={() => act.mutate({ id: policy.id, action: 'run' })}
          >
            <Play aria-hidden="true" />
          </Button>
          <Button
            small
            look="quiet"
            title={policy.enabled ? 'Disable' : 'Enable'}
            aria-label={`${policy.enabled ? 'Disable' : 'Enable'} ${policy.url}`}
            onClick={() => act.mutate({ id: policy.id, action: policy.enabled ? 'disable' : 'enable' })}
          >
            <Power aria-hidden="true" />
          </Button>
          <Button
            small
            look="quiet"
            title="Edit"
            aria-label={`Edit ${policy.url}`}
            onClick={() => setEdited(policy)}
          >
            <Pencil aria-hidden="true" />
          </Button>
        </>
      ),
    });
  return (
    <>
      <ViewHeader title="Policies" liveness={liveness}>
        {mayWrite && (
          <Button look="primary" onClick={() => setEdited('new')}>
            <Plus aria-hidden="true" /> New policy
          </Button>
        )}
      </ViewHeader>
      <FilterBar clearable={filterNames} first={<TextFilter name="search" label="Search URLs" wide />}>
        <SelectFilter
          name="enabled"
          label="Enabled"
          choices={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'no' },
          ]}
        />
        <SelectFilter
          name="kind"
          label="Kind"
          choices={policyKinds.map((value) => ({ value, label: value }))}
        />
        <SelectFilter
          name="priority"
          label="Priority"
          choices={['-10', '-5', '0', '1', '5', '10', '100'].map((value) => ({ value, label: value }))}
        />
        <DateFilter name="next_run_after" label="Next run after" />
        <DateFilter name="next_run_before" label="before" />
        <DateFilter name="created_after" label="Created after" />
      </FilterBar>
      <FormError error={act.error} />
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No policies match these filters" />
          ) : (
            <Notice
              title="No policies yet"
              actions={
                mayWrite && (
                  <Button look="primary" onClick={() => setEdited('new')}>
                    New policy
                  </Button>
                )
              }
            >
              A policy crawls a site or visits a product page repeatedly.
            </Notice>
          )
        }
      >
        <DataTable label="Policies" columns={columns} rows={list.rows} idOf={(policy) => policy.id} />
      </ListBody>
      <PolicyForm edited={edited} onClose={() => setEdited(undefined)} />
    </>
  );
}

function everyText(hours: number): string {
  if (hours >= 48 && hours % 24 === 0) return plural(hours / 24, 'day');
  return hours >= 1 ? `${hours} h` : `${Math.round(hours * 60 * 10) / 10} min`;
}
