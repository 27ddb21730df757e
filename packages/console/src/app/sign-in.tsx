import { type FormEvent, useEffect, useRef, useState } from 'react';
import { RequestFailed } from '../api/request.ts';
import { useSignIn } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import styles from './sign-in.module.css';

/** The token of the printed link is in the URL fragment: it is sent only when used, and then removed from the URL. */
function takeLink(): string | undefined {
  const [, token] = /^#link=([\w-]+)$/.exec(location.hash) ?? [];
  if (token) history.replaceState(history.state, '', location.pathname);
  return token;
}

export function SignIn() {
  const signIn = useSignIn();
  const [key, setKey] = useState('');
  const taken = useRef(false);
  const { mutate } = signIn;

  useEffect(() => {
    if (taken.current) return;
    taken.current = true;
    const link = takeLink();
    if (link) mutate({ link });
  }, [mutate]);

  function submit(event: FormEvent) {
    event.preventDefault();
    mutate({ key: key.trim() });
  }

  const { error } = signIn;
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit}>
        <h1>
          <img src="/icon.svg" alt="" width="28" height="28" /> Holdfast
        </h1>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          type="password"
          autoComplete="current-password"
          placeholder="hf_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          required
        />
        {error && (
          <p role="alert" className={styles.error}>
            {error.message}. {error instanceof RequestFailed && error.hint}
          </p>
        )}
        <Button type="submit" look="primary" disabled={signIn.isPending}>
          Sign in
        </Button>
        <p className={styles.hint}>
          <code>holdfast up</code> prints a link that signs you in. To create another key:{' '}
          <code>holdfast keys create --name me --role admin</code>
        </p>
      </form>
    </main>
  );
}
