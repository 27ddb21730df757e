import type { ReactNode } from 'react';
import styles from './overview.module.css';

/** A few numbers in a row. */
export function Figures({ figures }: { readonly figures: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
