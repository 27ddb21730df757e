import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RequestFailed } from './request.ts';

/** A refusal stays one however often it is asked for; a limit and anything else may pass. */
function mayPass(error: Error): boolean {
  if (!(error instanceof RequestFailed) || error.status === 429) return true;
  return error.status < 400 || error.status >= 500;
}

/** Whoever is told that they are signed out goes to the sign-in page, wherever they are. */
function noticeSignOut(error: Error): void {
  if (error instanceof RequestFailed && error.status === 401) queryClient.setQueryData(['session'], null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 2 && mayPass(error),
      // A view that shows a failure recovers by itself, as the server does.
      refetchInterval: ({ state }) => (state.error && mayPass(state.error) ? 5_000 : false),
      staleTime: 2_000,
      refetchIntervalInBackground: false,
    },
  },
});
