import { Check, Copy, Filter } from 'lucide-react';
import { useSearchState } from './search-state.ts';
import { useCopy } from './use-copy.ts';

interface CellToolsProps {
  readonly value: string | null | undefined;
  readonly filter: string | undefined;
  readonly className: string | undefined;
}

/** Hover actions of a cell: copy its value, or filter by it. */
export function CellTools({ value, filter, className }: CellToolsProps) {
  const [, setState] = useSearchState();
  const [copied, copy] = useCopy();
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
        title={copied ? 'Copied' : 'Copy'}
        aria-label={`Copy ${value}`}
        onClick={() => copy(value)}
      >
        {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      </button>
    </span>
  );
}
