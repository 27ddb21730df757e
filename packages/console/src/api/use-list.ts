import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { type RequestOptions, request } from './request.ts';

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | number | null;
}

export interface List<Row> {
  readonly rows: readonly Row[];
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly more: () => void;
  readonly again: () => void;
}

/** The maximum page size; with it, the server also examines more rows per request. */
const longSearch = 1_000;

/**
 * The server examines a bounded number of rows per request. A page without matches is not the end, so the next requests
 * are larger.
 */
async function readPage<Row>(
  path: string,
  query: RequestOptions['query'],
  after: string | number | null,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  let cursor = after;
  for (let limit: number | undefined; ; limit = longSearch) {
    const page = await request<ListPage<Row>>(path, {
      query: { ...query, ...(limit && { limit }), ...(cursor !== null && { cursor }) },
      signal,
    });
    if (page.data.length > 0 || page.next_cursor === null) return page;
    cursor = page.next_cursor;
  }
}

/** A list of the API, loaded page by page. */
export function useList<Row>(path: string, query: RequestOptions['query'] = {}, limit = 50): List<Row> {
  const found = useInfiniteQuery<
    ListPage<Row>,
    Error,
    InfiniteData<ListPage<Row>>,
    unknown[],
    string | number | null
  >({
    queryKey: [path, query, limit],
    queryFn: ({ pageParam, signal }) => readPage<Row>(path, { ...query, limit }, pageParam, signal),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });
  const rows = found.data?.pages.flatMap(({ data }) => data) ?? [];
  return {
    rows,
    error: found.error,
    isLoading: found.isLoading,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    more: () => {
      if (!found.isFetchingNextPage) void found.fetchNextPage();
    },
    again: () => void found.refetch(),
  };
}
