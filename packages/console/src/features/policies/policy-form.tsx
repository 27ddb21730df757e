import { type ApiPolicy, policyKinds } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { request } from '../../api/request.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field, Form, FormError } from '../../design/form.tsx';

interface PolicyFormProps {
  readonly edited: ApiPolicy | 'new' | undefined;
  readonly onClose: () => void;
}

const numbers = [
  'frequency_hours',
  'priority',
  'max_retries',
  'retry_backoff_minutes',
  'lock_ttl_seconds',
] as const;

export function PolicyForm({ edited, onClose }: PolicyFormProps) {
  const client = useQueryClient();
  const policy = edited === 'new' ? undefined : edited;
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      policy
        ? request(`/api/v1/policies/${policy.id}`, { method: 'PATCH', body })
        : request('/api/v1/policies', { method: 'POST', body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['/api/v1/policies'] });
      onClose();
    },
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const body: Record<string, unknown> = { url: String(data.get('url')) };
    for (const name of numbers) {
      const text = String(data.get(name) ?? '');
      if (text !== '') body[name] = Number(text);
    }
    const kind = policy?.kind ?? String(data.get('kind'));
    if (!policy) body.kind = kind;
    if (kind === 'visit') body.executor = String(data.get('executor'));
    save.mutate(body);
  }

  function close() {
    save.reset();
    onClose();
  }

  return (
    <Dialog open={edited !== undefined} onClose={close} title={policy ? 'Edit policy' : 'New policy'}>
      <Form onSubmit={submit}>
        <Field label="URL" wide>
          <input name="url" type="url" required maxLength={2048} defaultValue={policy?.url} />
        </Field>
        {!policy && (
          <Field label="Kind" hint="visit: read the price of a product page">
            <select name="kind" defaultValue="visit">
              {policyKinds.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </Field>
        )}
        <Field label="Run by" hint="visits only">
          <select name="executor" defaultValue={policy?.executor ?? 'builtin'}>
            <option value="builtin">Holdfast</option>
            <option value="bot">a bot</option>
          </select>
        </Field>
        <Field label="Frequency, hours">
          <input
            name="frequency_hours"
            type="number"
            min={0.0001}
            max={87600}
            step="any"
            required
            defaultValue={policy?.frequency_hours ?? 24}
          />
        </Field>
        <Field label="Priority">
          <input name="priority" type="number" min={-1000} max={1000} defaultValue={policy?.priority ?? 0} />
        </Field>
        <Field label="Retries">
          <input name="max_retries" type="number" min={0} max={100} defaultValue={policy?.max_retries ?? 3} />
        </Field>
        <Field label="Backoff, minutes" hint="doubles after every failure">
          <input
            name="retry_backoff_minutes"
            type="number"
            min={1}
            max={1440}
            defaultValue={policy?.retry_backoff_minutes ?? 5}
          />
        </Field>
        <Field label="Bot lock, seconds" hint="how long a bot holds a job">
          <input
            name="lock_ttl_seconds"
            type="number"
            min={1}
            max={86400}
            defaultValue={policy?.lock_ttl_seconds ?? 600}
          />
        </Field>
        <FormError error={save.error} />
        <Button type="submit" look="primary" disabled={save.isPending}>
          {policy ? 'Save' : 'Create policy'}
        </Button>
      </Form>
    </Dialog>
  );
}
