import type { ApiProfile } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { type Column, DataTable } from '../../design/data-table.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field, Form, FormError } from '../../design/form.tsx';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { ViewHeader } from '../../design/view-header.tsx';

type Profile = Wire<ApiProfile>;
const path = '/api/v1/profiles';

/** Sign-ins of whoever looks. Values go in, and never come out. */
export function ProfileList() {
  const client = useQueryClient();
  const mayWrite = useMay('jobs:write');
  const list = useList<Profile>(path);
  const [creating, setCreating] = useState(false);
  const [removed, setRemoved] = useState<Profile>();
  const refresh = () => client.invalidateQueries({ queryKey: [path] });
  const create = useMutation({
    mutationFn: (body: Record<string, unknown>) => request<Profile>(path, { method: 'POST', body }),
    onSuccess: () => setCreating(false),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (name: string) => request(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' }),
    onSuccess: () => setRemoved(undefined),
    onSettled: refresh,
  });
  const columns: readonly Column<Profile>[] = [
    { name: 'Name', grow: true, cell: ({ name }) => <span title={name ?? ''}>{name}</span> },
    { name: 'Origins', cell: ({ origins }) => <code title={origins.join('\n')}>{origins.join(' ')}</code> },
    { name: 'Holds', cell: holdings, wideOnly: true },
    { name: 'Stored', align: 'right', cell: ({ updated_at }) => <Moment at={updated_at} />, wideOnly: true },
    {
      name: 'Used',
      align: 'right',
      cell: ({ last_used_at }) => <Moment at={last_used_at} />,
      wideOnly: true,
    },
    {
      name: 'Actions',
      align: 'right',
      cell: (profile) =>
        mayWrite && (
          <Button small look="danger" onClick={() => setRemoved(profile)}>
            Delete
          </Button>
        ),
    },
  ];
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    create.mutate(profileOf(new FormData(event.currentTarget)));
  }
  return (
    <>
      <ViewHeader title="Profiles">
        {mayWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden="true" /> New profile
          </Button>
        )}
      </ViewHeader>
      <ListBody
        list={list}
        empty={
          <Notice title="No profiles">
            A profile holds the cookies or the password of an account, so that crawls can read what is behind
            a sign-in.
          </Notice>
        }
      >
        <DataTable label="Profiles" columns={columns} rows={list.rows} idOf={({ id }) => id} />
      </ListBody>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New profile">
        <Form onSubmit={submit} autoComplete="off">
          <Field label="Name">
            <input name="name" required maxLength={100} />
          </Field>
          <Field label="Origins" hint="where it is sent, and nowhere else; one per line" wide>
            <textarea name="origins" rows={2} required placeholder="https://example.com" />
          </Field>
          <Field label="cookies.txt or storageState" hint="the text of the file" wide>
            <textarea name="cookies" rows={3} spellCheck={false} />
          </Field>
          <Field label="Headers" hint="Name: value, one per line" wide>
            <textarea name="headers" rows={2} spellCheck={false} />
          </Field>
          <Field label="User name">
            <input name="username" autoComplete="off" />
          </Field>
          <Field label="Password">
            <input name="password" type="password" autoComplete="new-password" />
          </Field>
          <Field label="Bearer token" wide>
            <input name="bearer" type="password" autoComplete="new-password" />
          </Field>
          <p>The values are sealed, and never shown again.</p>
          <FormError error={create.error} />
          <Button type="submit" look="primary" disabled={create.isPending}>
            Store profile
          </Button>
        </Form>
      </Dialog>
      <Dialog
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title="Delete profile"
        actions={
          <>
            <Button onClick={() => setRemoved(undefined)}>Back</Button>
            <Button
              look="danger"
              disabled={remove.isPending}
              onClick={() => removed?.name && remove.mutate(removed.name)}
            >
              Delete
            </Button>
          </>
        }
      >
        <p>{removed?.name} is deleted with its values. Jobs and policies that use it fail from then on.</p>
        <FormError error={remove.error} />
      </Dialog>
    </>
  );
}

function holdings({ auth, headers, cookies }: Profile): string {
  const login = auth === null ? [] : [auth === 'basic' ? 'password' : 'token'];
  const counted = (count: number, what: string) =>
    count > 0 ? [`${count} ${what}${count > 1 ? 's' : ''}`] : [];
  return [...login, ...counted(headers.length, 'header'), ...counted(cookies.length, 'cookie')].join(', ');
}

function profileOf(data: FormData): Record<string, unknown> {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const lines = (name: string) =>
    text(name)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const headers = lines('headers').map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
  });
  return {
    name: text('name'),
    origins: lines('origins'),
    ...cookiesOf(String(data.get('cookies') ?? '')),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(text('username') && {
      basic_auth: { username: text('username'), password: String(data.get('password')) },
    }),
    ...(text('bearer') && { bearer_token: text('bearer') }),
  };
}

/** Playwright's storageState is JSON; anything else is a cookies.txt, which the server checks. */
function cookiesOf(given: string): Record<string, unknown> {
  if (given.trim() === '') return {};
  try {
    return { storage_state: JSON.parse(given) };
  } catch {
    return { cookies_txt: given };
  }
}
