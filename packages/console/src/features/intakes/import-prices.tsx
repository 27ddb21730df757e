import type { ApiSource } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/form.tsx';
import { ImportForm } from './import-form.tsx';

interface ImportPricesProps {
  readonly intakeId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

interface Imported {
  readonly added: number;
  readonly strengthened: number;
  readonly kept: number;
}

/** Prices that somebody brings by hand: an auction's results, a dealer's list. */
export function ImportPrices({ intakeId, open, onClose }: ImportPricesProps) {
  const client = useQueryClient();
  const bring = useMutation({
    mutationFn: (body: object) =>
      request<Imported>(`/api/v1/intakes/${intakeId}/price-points`, { method: 'POST', body }),
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
      title="Add prices"
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
          {bring.data.added} added, {bring.data.strengthened + bring.data.kept} known before.
        </p>
      ) : (
        <ImportForm
          example={'price,currency,price_type,date,title,url\n42.50,USD,sold,2026-03-01,1881-S Morgan,'}
          error={bring.error}
          isPending={bring.isPending}
          onImport={(given, form) =>
            bring.mutate({
              source_id: form.get('source_id'),
              ...('csv' in given ? given : { price_points: given.json }),
            })
          }
        >
          <SourceField />
        </ImportForm>
      )}
    </Dialog>
  );
}

function SourceField() {
  const { data } = useOne<{ data: readonly Wire<ApiSource>[] }>('/api/v1/sources', {
    configured: true,
    limit: 1000,
  });
  const sources = data?.data.filter(({ adapter_type }) => adapter_type === 'import');
  return (
    <Field
      label="Source"
      hint={sources?.length === 0 ? 'none takes prices by hand: give one the adapter import' : 'whose prices'}
    >
      <select name="source_id" required>
        {sources?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
