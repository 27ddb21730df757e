import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RequestFailed } from './request.ts';

/** Whoever is told that they are signed out goes to the sign-in page, wherever they are. */
function noticeSignOut(error: Error): void {
  if (error instanceof RequestFailed && error.status === 401) queryClient.setQueryData(['session'], null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      retry: (count, error) =>
        count < 2 && !(error instanceof RequestFailed && error.status >= 400 && error.status < 500),
      staleTime: 2_000,
      refetchIntervalInBackground: false,
    },
  },
});
