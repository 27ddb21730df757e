import type { ReactNode } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={title}>
      {title && (
        <header>
          <h2 title={title}>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

type Fact = readonly [name: string, value: ReactNode, room?: 'wide' | undefined];

/** Names and values side by side, long values on separate lines. Missing values are omitted. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value, room]) => (
          <div key={name} className={room === 'wide' || isLong(value) ? styles.wide : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Too long for a column. */
export function isLong(value: ReactNode): boolean {
  return typeof value === 'string' && value.length > 40;
}

export function Grid({
  children,
  min = 300,
}: {
  readonly children: ReactNode;
  readonly min?: 150 | 300 | 420;
}) {
  return <div className={`${styles.grid} ${styles[`min${min}`]}`}>{children}</div>;
}
