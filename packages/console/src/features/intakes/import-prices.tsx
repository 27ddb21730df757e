import type { ApiSource } from '@holdfast/contract';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { Field } from '../../design/form.tsx';
import { ImportDialog } from './import-dialog.tsx';

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

/** Manually added prices: auction results, a dealer's list. */
export function ImportPrices({ intakeId, ...dialog }: ImportPricesProps) {
  return (
    <ImportDialog<Imported>
      {...dialog}
      title="Add prices"
      path={`/api/v1/intakes/${intakeId}/price-points`}
      example={'price,currency,price_type,date,title,url\n42.50,USD,sold,2026-03-01,1881-S Morgan,'}
      bodyOf={(given, form) => ({
        source_id: form.get('source_id'),
        ...('csv' in given ? given : { price_points: given.json }),
      })}
      describe={({ added, strengthened, kept }) => `${added} added, ${strengthened + kept} already known.`}
    >
      <SourceField />
    </ImportDialog>
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
      hint={
        sources?.length === 0
          ? 'no source accepts manual prices; give one the adapter `import`'
          : 'whose prices'
      }
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
