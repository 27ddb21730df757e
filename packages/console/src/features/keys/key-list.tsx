import { type ApiKey, type CreatedKey, type KeyRole, keyRoles } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, Copy, Plus } from 'lucide-react';
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
import { Tag } from '../../design/tag.tsx';
import { useCopy } from '../../design/use-copy.ts';
import { ViewHeader } from '../../design/view-header.tsx';
import styles from './key-list.module.css';

type Key = Wire<ApiKey>;
const path = '/api/v1/keys';

export function KeyList() {
  const mayAdmin = useMay('admin');
  return mayAdmin ? (
    <Keys />
  ) : (
    <Notice title="Only admins can manage keys">Sign in with an admin key to see them.</Notice>
  );
}

function Keys() {
  const client = useQueryClient();
  const list = useList<Key>(path);
  const [creating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const [copied, copy] = useCopy();
  const refresh = () => client.invalidateQueries({ queryKey: [path] });
  const create = useMutation({
    mutationFn: (body: Record<string, unknown>) => request<Wire<CreatedKey>>(path, { method: 'POST', body }),
    onSuccess: refresh,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => request(`${path}/${id}/revoke`, { method: 'POST' }),
    onSuccess: () => setRevoked(undefined),
    onSettled: refresh,
  });
  const columns: readonly Column<Key>[] = [
    { name: 'Name', grow: true, cell: (key) => <span title={key.name}>{key.name}</span> },
    { name: 'Prefix', cell: (key) => <code>{key.prefix}</code>, wideOnly: true },
    { name: 'Scopes', cell: (key) => key.scopes.join(', ') },
    { name: 'Owner', cell: (key) => key.user_id, wideOnly: true },
    { name: 'State', cell: (key) => <KeyState apiKey={key} /> },
    { name: 'Used', align: 'right', cell: (key) => <Moment at={key.last_used_at} />, wideOnly: true },
    {
      name: 'Actions',
      align: 'right',
      cell: (key) =>
        !key.revoked_at && (
          <Button small look="danger" onClick={() => setRevoked(key)}>
            Revoke
          </Button>
        ),
    },
  ];
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    create.mutate({
      name: String(data.get('name')),
      user_id: String(data.get('user_id') || 'local'),
      scopes: keyRoles[String(data.get('role')) as KeyRole],
    });
  }
  function close() {
    create.reset();
    setCreating(false);
  }
  return (
    <>
      <ViewHeader title="Keys">
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden="true" /> New key
        </Button>
      </ViewHeader>
      <ListBody list={list} empty={<Notice title="No keys" />}>
        <DataTable label="Keys" columns={columns} rows={list.rows} idOf={(key) => key.id} />
      </ListBody>
      <Dialog open={creating} onClose={close} title="New key">
        {create.data ? (
          <>
            <p>Copy it now; it is not shown again.</p>
            <p className={styles.secret}>
              <code>{create.data.secret}</code>
            </p>
            <Button look="primary" onClick={() => copy(create.data.secret)}>
              {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
              {copied ? 'Copied' : 'Copy'}
            </Button>
          </>
        ) : (
          <Form onSubmit={submit}>
            <Field label="Name or purpose" wide>
              <input name="name" required maxLength={200} />
            </Field>
            <Field label="Role">
              <select name="role" defaultValue="viewer">
                {Object.keys(keyRoles).map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </Field>
            <Field label="Owner" hint="owns what the key creates">
              <input name="user_id" maxLength={100} placeholder="local" />
            </Field>
            <FormError error={create.error} />
            <Button type="submit" look="primary" disabled={create.isPending}>
              Create key
            </Button>
          </Form>
        )}
      </Dialog>
      <Dialog
        open={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title="Revoke key"
        actions={
          <>
            <Button onClick={() => setRevoked(undefined)}>Back</Button>
            <Button
              look="danger"
              disabled={revoke.isPending}
              onClick={() => revoked && revoke.mutate(revoked.id)}
            >
              Revoke
            </Button>
          </>
        }
      >
        <p>{revoked?.name} stops working within seconds. This cannot be undone. Its jobs continue.</p>
        <FormError error={revoke.error} />
      </Dialog>
    </>
  );
}

function KeyState({ apiKey }: { readonly apiKey: Key }) {
  if (apiKey.revoked_at) return <Tag tone="bad">revoked</Tag>;
  if (apiKey.expires_at && Date.parse(apiKey.expires_at) <= Date.now()) return <Tag tone="bad">expired</Tag>;
  return <Tag tone="good">active</Tag>;
}
