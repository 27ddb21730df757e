import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../../api/request.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { ImportForm, type ImportFormProps } from './import-form.tsx';

interface ImportDialogProps<Answer> extends Pick<ImportFormProps, 'example' | 'children'> {
  readonly title: string;
  readonly path: string;
  readonly bodyOf: (...given: Parameters<ImportFormProps['onImport']>) => object;
  /** The outcome. */
  readonly describe: (answer: Answer) => ReactNode;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Imports many rows at once and shows the outcome. */
export function ImportDialog<Answer>(props: ImportDialogProps<Answer>) {
  const { title, path, bodyOf, describe, open, onClose, ...form } = props;
  const client = useQueryClient();
  const bring = useMutation({
    mutationFn: (body: object) => request<Answer>(path, { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries(),
  });
  function close() {
    bring.reset();
    onClose();
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      actions={
        bring.isSuccess && (
          <Button look="primary" onClick={close}>
            Done
          </Button>
        )
      }
    >
      {bring.isSuccess ? (
        <p role="status">{describe(bring.data)}</p>
      ) : (
        <ImportForm
          {...form}
          error={bring.error}
          isPending={bring.isPending}
          onImport={(...given) => bring.mutate(bodyOf(...given))}
        />
      )}
    </Dialog>
  );
}
