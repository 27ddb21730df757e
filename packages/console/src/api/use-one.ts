import { useQuery } from '@tanstack/react-query';
import { type RequestOptions, request } from './request.ts';

/** One resource of the API. `everyMs`: refetch interval while the tab is visible. */
export function useOne<Answer>(path: string, query: RequestOptions['query'] = {}, everyMs?: number) {
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => request<Answer>(path, { query, signal }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
