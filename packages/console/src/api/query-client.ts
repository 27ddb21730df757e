import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { noticeAnswer } from './away.ts';
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
  queryCache: new QueryCache({
    onSuccess: () => noticeAnswer(),
    onError: (error) => {
      noticeAnswer(error);
      noticeSignOut(error);
    },
  }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    // Holdfast may run on this very machine: whether that has a network says nothing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (count, error) => count < 2 && mayPass(error),
      // A view that shows a failure recovers by itself, as the server does.
      refetchInterval: ({ state }) => (state.error && mayPass(state.error) ? 5_000 : false),
      staleTime: 2_000,
      refetchIntervalInBackground: false,
    },
  },
});
