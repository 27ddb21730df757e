import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
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

/** A list of the API, page after page. */
export function useList<Row>(path: string, query: RequestOptions['query'] = {}, limit = 50): List<Row> {
  const found = useInfiniteQuery<
    ListPage<Row>,
    Error,
    InfiniteData<ListPage<Row>>,
    unknown[],
    string | number | null
  >({
    queryKey: [path, query, limit],
    queryFn: ({ pageParam, signal }) =>
      request(path, { query: { ...query, limit, ...(pageParam !== null && { cursor: pageParam }) }, signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });
  const rows = found.data?.pages.flatMap(({ data }) => data) ?? [];
  // The server looks through a bounded part of a large table at a time; a part without a match is not the end.
  const isSearching = rows.length === 0 && found.hasNextPage && !found.isError;
  const { fetchNextPage, isFetching } = found;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return {
    rows,
    error: found.error,
    isLoading: found.isLoading || isSearching,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    more: () => {
      if (!found.isFetchingNextPage) void found.fetchNextPage();
    },
    again: () => void found.refetch(),
  };
}
