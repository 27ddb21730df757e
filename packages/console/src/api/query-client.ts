import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { noticeAnswer } from './away.ts';
import { RequestFailed } from './request.ts';

/** Other 4xx errors are permanent; rate limits and all other errors may pass. */
function mayPass(error: Error): boolean {
  if (!(error instanceof RequestFailed) || error.status === 429) return true;
  return error.status < 400 || error.status >= 500;
}

/** On a 401, go to the sign-in page from any view. */
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
    // Holdfast may run on this machine, so being offline means nothing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (count, error) => count < 2 && mayPass(error),
      // A view with an error recovers by itself when the server does.
      refetchInterval: ({ state }) => (state.error && mayPass(state.error) ? 5_000 : false),
      staleTime: 2_000,
      refetchIntervalInBackground: false,
    },
  },
});
