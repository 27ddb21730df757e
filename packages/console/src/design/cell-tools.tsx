import { Copy, Filter } from 'lucide-react';
import { useSearchState } from './search-state.ts';

interface CellToolsProps {
  readonly value: string | null | undefined;
  readonly filter: string | undefined;
  readonly className: string | undefined;
}

/** Shown over a cell that is pointed at: copy its value, or see only the rows that share it. */
export function CellTools({ value, filter, className }: CellToolsProps) {
  const [, setState] = useSearchState();
  if (!value) return null;
  return (
    <span className={className}>
      {filter && (
        <button
          type="button"
          tabIndex={-1}
          title={`Only ${value}`}
          aria-label={`Show only ${value}`}
          onClick={() => setState({ [filter]: value })}
        >
          <Filter aria-hidden="true" />
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        title="Copy"
        aria-label={`Copy ${value}`}
        onClick={() => void navigator.clipboard?.writeText(value)}
      >
        <Copy aria-hidden="true" />
      </button>
    </span>
  );
}
