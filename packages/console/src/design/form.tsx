import type { FormHTMLAttributes, ReactNode } from 'react';
import type { RequestFailed } from '../api/request.ts';
import styles from './form.module.css';

export function Form(props: FormHTMLAttributes<HTMLFormElement>) {
  return <form className={styles.form} {...props} />;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A label around its control, so that no ids have to match. */
export function Field({ label, hint, wide = false, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className={`${styles.field} ${wide ? styles.wide : ''}`}>
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** The server's error, with its hint. */
export function FormError({ error }: { readonly error: Error | RequestFailed | null }) {
  if (!error) return null;
  const hint = 'hint' in error ? error.hint : undefined;
  return (
    <p role="alert" className={styles.error}>
      {error.message}
      {hint && <small>{hint}</small>}
    </p>
  );
}
