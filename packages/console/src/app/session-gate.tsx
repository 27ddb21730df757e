import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { Failed } from '../design/failed.tsx';
import styles from './sign-in.module.css';
import { SignIn } from './sign-in.tsx';

/** Nothing of the console is there without a session. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  // Whoever is signed in stays where they are while the server is away.
  if (error && data === undefined)
    return (
      <main className={styles.page}>
        <Failed error={error} again={refetch} />
      </main>
    );
  if (data === undefined) return null;
  return data === null ? <SignIn /> : children;
}
