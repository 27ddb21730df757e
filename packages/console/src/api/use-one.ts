import { useQuery } from '@tanstack/react-query';
import { type RequestOptions, request } from './request.ts';

/** One thing of the API. `everyMs`: read again so often while the tab is looked at. */
export function useOne<Answer>(path: string, query: RequestOptions['query'] = {}, everyMs?: number) {
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => request<Answer>(path, { query, signal }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
