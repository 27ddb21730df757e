import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { Failed } from '../design/failed.tsx';
import styles from './sign-in.module.css';
import { SignIn } from './sign-in.tsx';

/** Renders the console only with a session. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  // While the server is down, signed-in users stay on their view.
  if (error && data === undefined)
    return (
      <main className={styles.page}>
        <Failed error={error} again={refetch} />
      </main>
    );
  if (data === undefined) return null;
  return data === null ? <SignIn /> : children;
}
