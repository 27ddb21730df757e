import { type JobStatus, jobStatuses, type ShownJob, transitions } from '@holdfast/contract';
import { StatusBadge } from '../../design/status-badge.tsx';
import styles from './state-diagram.module.css';

/** The statuses that a job in this one can move to, by the contract's table of transitions. */
function nextStatuses(status: JobStatus): ReadonlySet<JobStatus> {
  const next = Object.values(transitions).flatMap(({ moves }) =>
    moves.filter(([from, to]) => from === status && to !== status).map(([, to]) => to),
  );
  return new Set(next);
}

const rows: readonly (readonly JobStatus[])[] = [
  ['pending', 'processing', 'completed'],
  ['retryable', 'paused', 'failed'],
  ['cancelled', 'expired'],
];

/** Every status, the current one lit, and which ones can follow, with what leads there. */
export function StateDiagram({ job }: { readonly job: Pick<ShownJob, 'status'> }) {
  const next = nextStatuses(job.status);
  return (
    <figure className={styles.diagram}>
      <div className={styles.grid}>
        {rows.flat().map((status) => {
          const place = status === job.status ? 'current' : next.has(status) ? 'next' : 'far';
          return (
            <div key={status} className={`${styles.state} ${styles[place]}`} data-state={place}>
              <StatusBadge status={status} />
              {place === 'current' && <small>now</small>}
              {place === 'next' && <small>{ways(job.status, status)}</small>}
            </div>
          );
        })}
      </div>
      <figcaption>
        {next.size === 0
          ? 'This is the end of its way.'
          : `From here it can become ${jobStatuses.filter((status) => next.has(status)).join(', ')}.`}
      </figcaption>
    </figure>
  );
}

function ways(from: JobStatus, to: JobStatus): string {
  return Object.entries(transitions)
    .filter(([, { moves }]) => moves.some((move) => move[0] === from && move[1] === to))
    .map(([name]) => name)
    .join(', ');
}
