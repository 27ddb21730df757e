import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';
import { Button } from './button.tsx';
import { Failed } from './failed.tsx';
import styles from './list-body.module.css';

interface ListBodyProps<Row> {
  readonly list: List<Row>;
  /** Shown when the list is empty: what it contains and how to get the first row. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

/** All states of a list: loading, error, empty, rows, and more to load. */
export function ListBody<Row>({ list, empty, children }: ListBodyProps<Row>) {
  if (list.error && list.rows.length === 0) return <Failed error={list.error} again={list.again} />;
  if (list.isLoading) return <div className={styles.loading} role="status" aria-label="Loading" />;
  if (list.rows.length === 0) return empty;
  return (
    <>
      {list.error && (
        <p role="alert" className={styles.stale}>
          This is how it was: {list.error.message}. It is asked for again.
        </p>
      )}
      {children}
      {list.hasMore && (
        <div className={styles.more}>
          {/* Not disabled while it loads: the focus would be lost. */}
          <Button onClick={list.more} aria-busy={list.isLoadingMore}>
            {list.isLoadingMore ? 'Loading …' : 'Show more'}
          </Button>
        </div>
      )}
    </>
  );
}
