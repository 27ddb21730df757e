import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { SignIn } from './sign-in.tsx';

/** Nothing of the console is there without a session. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  if (error)
    return (
      <Notice
        kind="error"
        title={error.message}
        actions={<Button onClick={() => refetch()}>Try again</Button>}
      />
    );
  if (data === undefined) return null;
  return data === null ? <SignIn /> : children;
}
