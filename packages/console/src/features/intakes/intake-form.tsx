import type { Intake } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { request } from '../../api/request.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field, Form, FormError } from '../../design/form.tsx';
import { attributeLines, readAttributes } from './attribute-text.ts';

type ShownIntake = Wire<Intake>;
const path = '/api/v1/intakes';

interface IntakeFormProps {
  readonly edited: ShownIntake | 'new' | undefined;
  readonly onClose: () => void;
}

export function IntakeForm({ edited, onClose }: IntakeFormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const intake = edited === 'new' ? undefined : edited;
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      intake
        ? request<ShownIntake>(`${path}/${intake.id}`, { method: 'PATCH', body })
        : request<ShownIntake>(path, { method: 'POST', body }),
    onSuccess: ({ id }) => {
      close();
      if (!intake) void navigate({ to: '/intakes/$id', params: { id } });
    },
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(path) }),
  });

  function close() {
    save.reset();
    onClose();
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const names = (name: string) =>
      text(name)
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean);
    const mustAgree = names('must_agree');
    save.mutate({
      title: text('title') || null,
      attributes: readAttributes(text('attributes'), intake?.attributes),
      must_agree: mustAgree.length > 0 ? mustAgree : null,
      currency: text('currency') || null,
      tags: names('tags'),
      reference: text('reference') || null,
    });
  }

  return (
    <Dialog open={edited !== undefined} onClose={close} title={intake ? 'Edit intake' : 'New intake'}>
      <Form onSubmit={submit}>
        <Field label="Title" hint="as a listing would describe it" wide>
          <input
            name="title"
            maxLength={1000}
            placeholder="Morgan Dollar"
            defaultValue={intake?.title ?? ''}
          />
        </Field>
        <Field label="Attributes" hint="what distinguishes it, one per line" wide>
          <textarea
            name="attributes"
            rows={4}
            placeholder={'year: 1881\nmintmark: S'}
            defaultValue={intake && attributeLines(intake.attributes)}
          />
        </Field>
        <Field label="Currency" hint="of its valuation; default: that of most prices">
          <input
            name="currency"
            pattern="[A-Za-z]{3}"
            title="three letters, such as USD"
            placeholder="USD"
            defaultValue={intake?.currency ?? ''}
          />
        </Field>
        <Field label="Must agree" hint="attributes that a listing must match">
          <input
            name="must_agree"
            placeholder="year, mintmark"
            defaultValue={intake?.must_agree?.join(', ') ?? ''}
          />
        </Field>
        <Field label="Tags" hint="separated by commas">
          <input name="tags" defaultValue={intake?.tags.join(', ') ?? ''} />
        </Field>
        <Field label="Reference" hint="your own id">
          <input name="reference" maxLength={200} defaultValue={intake?.reference ?? ''} />
        </Field>
        <FormError error={save.error} />
        <Button type="submit" look="primary" disabled={save.isPending}>
          {intake ? 'Save' : 'Create intake'}
        </Button>
      </Form>
    </Dialog>
  );
}
