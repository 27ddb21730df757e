import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

interface NoticeProps {
  readonly title: string;
  readonly kind?: 'info' | 'error';
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** A message in place of data: an empty list with instructions, or an error. */
export function Notice({ title, kind = 'info', children, actions }: NoticeProps) {
  const Icon = kind === 'error' ? CircleAlert : Info;
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon aria-hidden="true" />
      <h2>{title}</h2>
      {children && <div className={styles.text}>{children}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
