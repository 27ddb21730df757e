import { type FormEvent, type ReactNode, useRef } from 'react';
import { Button } from '../../design/button.tsx';
import { Field, Form, FormError } from '../../design/form.tsx';

export interface ImportFormProps {
  readonly example: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onImport: (given: { readonly csv: string } | { readonly json: unknown }, form: FormData) => void;
  readonly children?: ReactNode;
}

/** Accepts a file or pasted text, CSV or JSON, detected by its first character. */
export function ImportForm({ example, error, isPending, onImport, children }: ImportFormProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = String(form.get('text') ?? '');
    area.current?.setCustomValidity('');
    if (!/^\s*[[{]/.test(text)) return onImport({ csv: text }, form);
    try {
      onImport({ json: JSON.parse(text) }, form);
    } catch {
      area.current?.setCustomValidity('This looks like JSON but is not valid.');
      area.current?.reportValidity();
    }
  }
  return (
    <Form onSubmit={submit}>
      {children}
      <Field label="File" hint="CSV or JSON">
        <input
          type="file"
          accept=".csv,.json,text/csv,application/json"
          onChange={async (event) => {
            const [file] = event.target.files ?? [];
            if (file && area.current) area.current.value = await file.text();
          }}
        />
      </Field>
      <Field label="Or paste it" hint="CSV with a header row, or a JSON list" wide>
        <textarea
          ref={area}
          name="text"
          rows={8}
          required
          placeholder={example}
          onInput={(event) => event.currentTarget.setCustomValidity('')}
        />
      </Field>
      <FormError error={error} />
      <Button type="submit" look="primary" disabled={isPending}>
        Import
      </Button>
    </Form>
  );
}
