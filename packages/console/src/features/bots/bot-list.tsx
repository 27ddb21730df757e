import type { Bot } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Power } from 'lucide-react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { numberText } from '../../design/count-text.ts';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { Tag } from '../../design/tag.tsx';
import { ViewHeader } from '../../design/view-header.tsx';

type ShownBot = Wire<Bot>;
const path = '/api/v1/bots';

export function BotList() {
  const mayOperate = useMay('operate');
  const client = useQueryClient();
  const list = useList<ShownBot>(path);
  const change = useMutation({
    mutationFn: ({ bot_id, user_id, enabled }: ShownBot) =>
      request(`${path}/${encodeURIComponent(bot_id)}`, {
        method: 'PATCH',
        body: { enabled: !enabled },
        query: { user_id },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
  const columns: Column<ShownBot>[] = [
    { name: 'Bot', grow: true, cell: (bot) => <span title={bot.bot_id}>{bot.bot_id}</span> },
    { name: 'Owner', cell: (bot) => bot.user_id, wideOnly: true },
    {
      name: 'State',
      cell: (bot) => <Tag tone={bot.enabled ? 'good' : 'bad'}>{bot.enabled ? 'enabled' : 'disabled'}</Tag>,
    },
    { name: 'Seen', align: 'right', cell: (bot) => <Moment at={bot.last_seen_at} /> },
    { name: 'Holds', align: 'right', cell: (bot) => numberText(bot.jobs_held) },
    { name: 'Pulls/hour', align: 'right', cell: (bot) => numberText(bot.pulls_last_hour) },
    { name: 'Pulled', align: 'right', cell: (bot) => numberText(bot.jobs_pulled), wideOnly: true },
    { name: 'Success', align: 'right', cell: (bot) => rateText(bot.success_rate) },
  ];
  if (mayOperate)
    columns.push({
      name: 'Actions',
      align: 'right',
      cell: (bot) => (
        <Button small look="quiet" onClick={() => change.mutate(bot)}>
          <Power aria-hidden="true" /> {bot.enabled ? 'Disable' : 'Enable'}
        </Button>
      ),
    });
  return (
    <>
      <ViewHeader title="Bots" />
      <FormError error={change.error} />
      <ListBody
        list={list}
        empty={
          <Notice title="No bots yet">
            A bot is your own program that pulls visits and submits results. To create one with a token:{' '}
            <code>holdfast bots create bot-001</code>
          </Notice>
        }
      >
        <DataTable
          label="Bots"
          columns={columns}
          rows={list.rows}
          idOf={(bot) => `${bot.user_id} ${bot.bot_id}`}
        />
      </ListBody>
    </>
  );
}

function rateText(rate: number | null): string {
  return rate === null ? '–' : `${Math.round(rate * 100)} %`;
}
