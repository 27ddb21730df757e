import { allowsScope, type KeyScope, type Session } from '@holdfast/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RequestFailed, rememberCsrfToken, request } from './request.ts';

async function readSession(): Promise<Session | null> {
  try {
    const session = await request<Session>('/api/session');
    rememberCsrfToken(session.csrf_token);
    return session;
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuery = { queryKey: ['session'], queryFn: readSession, staleTime: 60_000 } as const;

export function useSession(): Session | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Whether the session has this scope. Buttons without permission are hidden. */
export function useMay(scope: KeyScope): boolean {
  const session = useSession();
  return session ? allowsScope(session.scopes, scope) : false;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { key: string } | { link: string }) =>
      request<Session>('/api/session', { method: 'POST', body }),
    onSuccess: (session) => {
      rememberCsrfToken(session.csrf_token);
      client.setQueryData(['session'], session);
    },
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('/api/session', { method: 'DELETE' }),
    onSettled: () => {
      client.setQueryData(['session'], null);
      // The next user must not see cached data.
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    },
  });
}
