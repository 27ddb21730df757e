import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { ImportForm } from './import-form.tsx';

const path = '/api/v1/intakes';

/** Many items at once, all or none. */
export function ImportIntakes({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const client = useQueryClient();
  const bring = useMutation({
    mutationFn: (body: object) =>
      request<{ created: number; changed: number }>(`${path}/import`, { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: [path] }),
  });
  function close() {
    bring.reset();
    onClose();
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import intakes"
      actions={
        bring.isSuccess && (
          <Button look="primary" onClick={close}>
            Done
          </Button>
        )
      }
    >
      {bring.isSuccess ? (
        <p role="status">
          {bring.data.created} added, {bring.data.changed} changed.
        </p>
      ) : (
        <ImportForm
          example={'reference,title,year,mintmark,currency\nM-81-S,Morgan Dollar,1881,S,USD'}
          error={bring.error}
          isPending={bring.isPending}
          onImport={(given) => bring.mutate('csv' in given ? given : { intakes: given.json })}
        />
      )}
    </Dialog>
  );
}
