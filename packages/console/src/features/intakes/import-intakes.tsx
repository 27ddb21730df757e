import { ImportDialog } from './import-dialog.tsx';

/** Many items at once, all or none. */
export function ImportIntakes(dialog: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <ImportDialog<{ created: number; changed: number }>
      {...dialog}
      title="Import intakes"
      path="/api/v1/intakes/import"
      example={'reference,title,year,mintmark,currency\nM-81-S,Morgan Dollar,1881,S,USD'}
      bodyOf={(given) => ('csv' in given ? given : { intakes: given.json })}
      describe={({ created, changed }) => `${created} added, ${changed} changed.`}
    />
  );
}
