import { type ReactNode, useEffect } from 'react';
import type { Liveness } from '../api/live.ts';
import styles from './view-header.module.css';

const meanings: Record<Liveness, string> = {
  live: 'Updates live',
  polling: 'Updates every few seconds',
  paused: 'Updates paused: rows are selected, or the tab is hidden',
};

interface ViewHeaderProps {
  readonly title: ReactNode;
  readonly liveness?: Liveness;
  readonly children?: ReactNode;
}

export function ViewHeader({ title, liveness, children }: ViewHeaderProps) {
  const name = typeof title === 'string' ? title : 'Console';
  useEffect(() => {
    document.title = `${name.slice(0, 100)} · Holdfast`;
    return () => {
      document.title = 'Holdfast';
    };
  }, [name]);
  return (
    <header className={styles.header}>
      <h1 title={typeof title === 'string' ? title : undefined}>{title}</h1>
      {liveness && (
        <span className={`${styles.liveness} ${styles[liveness]}`} title={meanings[liveness]}>
          {liveness}
        </span>
      )}
      <div className={styles.actions}>{children}</div>
    </header>
  );
}
