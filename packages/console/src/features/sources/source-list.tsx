import type { ApiSource } from '@holdfast/contract';
import { CirclePause, CirclePlay } from 'lucide-react';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { delayText, numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { FilterBar, SelectFilter } from '../../design/filter-bar.tsx';
import { FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { Tag } from '../../design/tag.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { actionLabels, releaseOf, sourcesPath, useActOnSource } from './act-on-source.ts';
import { pauseText, slowedBecause, slowedText, troubleTag, troubleText } from './pause-text.ts';
import { ProxyHealth } from './proxy-health.tsx';

type Source = Wire<ApiSource>;
const filterNames = ['configured', 'blocked'] as const;
const yesNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

export function SourceList() {
  const mayOperate = useMay('operate');
  const [state] = useSearchState();
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (state[name] ? [[name, state[name]]] : [])),
  );
  const list = useList<Source>(sourcesPath, filter);
  const act = useActOnSource(sourcesPath);
  const columns: Column<Source>[] = [
    {
      name: 'Name',
      grow: true,
      cell: (source) => <span title={source.hosts.join(', ')}>{source.name}</span>,
    },
    {
      name: 'State',
      cell: (source) =>
        source.paused ? (
          <Tag tone="bad">{pauseText(source)}</Tag>
        ) : (
          <span title={troubleText(source) ?? slowedBecause(source)}>
            <Tag tone={source.trouble ? 'bad' : isWell(source) ? 'good' : 'warning'}>
              {troubleTag(source) ??
                (source.breaker === 'closed' ? (slowedText(source) ?? 'healthy') : 'probing')}
            </Tag>
          </span>
        ),
    },
    {
      name: 'Until',
      align: 'right',
      cell: (source) => <Moment at={source.paused_until} />,
      wideOnly: true,
    },
    { name: 'Limit', align: 'right', cell: (source) => limitText(source) },
    { name: 'Concurrency', align: 'right', cell: (source) => source.concurrency, wideOnly: true },
    {
      name: 'Delay',
      align: 'right',
      cell: (source) => delayText(Math.max(source.min_delay_ms, source.crawl_delay_ms ?? 0)),
      wideOnly: true,
    },
    { name: 'Render', cell: (source) => source.render ?? 'auto', wideOnly: true },
    { name: 'Adapter', cell: (source) => source.adapter_type ?? '–', wideOnly: true },
    {
      name: 'Failures',
      align: 'right',
      cell: (source) => numberText(Math.max(source.failure_streak, source.failed_urls)),
    },
    {
      name: 'Last success',
      align: 'right',
      cell: (source) => <Moment at={source.last_success_at} />,
      wideOnly: true,
    },
  ];
  if (mayOperate)
    columns.push({
      name: 'Actions',
      align: 'right',
      cell: (source) =>
        source.paused ? (
          <Button small onClick={() => act.mutate({ id: source.id, action: releaseOf(source) })}>
            <CirclePlay aria-hidden="true" /> {actionLabels[releaseOf(source)]}
          </Button>
        ) : (
          <Button small look="quiet" onClick={() => act.mutate({ id: source.id, action: 'pause' })}>
            <CirclePause aria-hidden="true" /> {actionLabels.pause}
          </Button>
        ),
    });
  return (
    <>
      <ViewHeader title="Sources" />
      <FilterBar clearable={filterNames}>
        <SelectFilter name="blocked" label="Blocked now" choices={yesNo} />
        <SelectFilter name="configured" label="Configured" choices={yesNo} />
      </FilterBar>
      <FormError error={act.error} />
      <ListBody
        list={list}
        empty={
          Object.keys(filter).length > 0 ? (
            <Notice title="No sources match these filters" />
          ) : (
            <Notice title="No sources yet">
              A source is an external site with its limits and health. Each host gets one with its first
              request. To set limits or an adapter:{' '}
              <code>holdfast sources set books --hosts books.example --rate-limit 60</code>
            </Notice>
          )
        }
      >
        <DataTable label="Sources" columns={columns} rows={list.rows} idOf={(source) => source.id} />
      </ListBody>
      {mayOperate && <ProxyHealth />}
    </>
  );
}

function isWell({ breaker, pace_per_minute }: Source): boolean {
  return breaker === 'closed' && pace_per_minute === null;
}

function limitText({ rate_limit_per_minute: limit }: Source): string {
  return limit === null ? 'none' : `${numberText(limit)}/min`;
}
