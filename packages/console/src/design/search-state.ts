import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchState = Readonly<Record<string, string | undefined>>;

/** The state of a view (filters, tab, page) is in its URL, so that a link shows the same view. */
export function useSearchState(): [SearchState, (change: SearchState) => void] {
  const state = useSearch({ strict: false }) as SearchState;
  const navigate = useNavigate();
  const change = useCallback(
    (next: SearchState) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((before: SearchState) => ({ ...before, ...next })) as never,
      }),
    [navigate],
  );
  return [state, change];
}
