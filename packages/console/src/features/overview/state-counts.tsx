import { jobStatuses } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { countOf, type ShownStats } from '../../api/stats.ts';
import { countText } from '../../design/count-text.ts';
import { StatusBadge } from '../../design/status-badge.tsx';
import styles from './overview.module.css';

/** Job counts by status, each linked to its list. */
export function StateCounts({ stats }: { readonly stats: ShownStats }) {
  return (
    <nav className={styles.states} aria-label="Jobs by state">
      {jobStatuses.map((status) => {
        const count = countOf(stats, status);
        return (
          <Link key={status} to="/jobs" search={{ status } as never} className={styles.state}>
            <span className={`${styles.number} ${count.count === 0 ? styles.none : ''}`}>
              {countText(count)}
            </span>
            <StatusBadge status={status} />
          </Link>
        );
      })}
    </nav>
  );
}
