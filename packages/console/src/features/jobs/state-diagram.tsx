import { type JobStatus, jobStatuses, type ShownJob, transitions } from '@holdfast/contract';
import styles from './state-diagram.module.css';
import { transitionText } from './transition-text.ts';

const width = 118;
const height = 34;
/** Positions of the statuses: waiting ones left, finished ones right. */
const places: Record<JobStatus, readonly [x: number, y: number]> = {
  pending: [2, 8],
  retryable: [2, 78],
  paused: [2, 148],
  processing: [176, 78],
  completed: [350, 2],
  failed: [350, 53],
  cancelled: [350, 104],
  expired: [350, 155],
};

/** Each edge between two statuses once, with its transitions. */
const ways: readonly { from: JobStatus; to: JobStatus; names: string[] }[] = Object.entries(transitions)
  .flatMap(([name, { moves }]) => moves.map(([from, to]) => ({ name, from, to })))
  .reduce<{ from: JobStatus; to: JobStatus; names: string[] }[]>((found, { name, from, to }) => {
    if (from === null || from === to) return found;
    const same = found.find((way) => way.from === from && way.to === to);
    if (same) same.names.push(name);
    else found.push({ from, to, names: [name] });
    return found;
  }, []);

/**
 * Not every transition applies to every job: only crawls have URLs to retry, and only bots report failures that are
 * retried at once.
 */
function canTake(name: string, { kind, executor }: Pick<ShownJob, 'kind' | 'executor'>): boolean {
  return (name !== 'retryUrls' || kind === 'crawl') && (name !== 'retryNow' || executor === 'bot');
}

/**
 * The state diagram from the contract's transition table, with the current status and its outgoing transitions
 * highlighted.
 */
export function StateDiagram({ job }: { readonly job: Pick<ShownJob, 'status' | 'kind' | 'executor'> }) {
  const onward = ways
    .filter(({ from }) => from === job.status)
    .map((way) => ({ ...way, names: way.names.filter((name) => canTake(name, job)) }))
    .filter(({ names }) => names.length > 0);
  const next = new Set(onward.map(({ to }) => to));
  const lit = [...ways].sort((a, b) => Number(a.from === job.status) - Number(b.from === job.status));
  return (
    <figure className={styles.diagram}>
      <svg viewBox="0 0 470 192" role="img" aria-label={`The job is ${job.status}`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" className={styles.head} />
          </marker>
        </defs>
        {lit.map(({ from, to }) => {
          const isOnward = from === job.status && next.has(to);
          return (
            <path
              key={`${from} ${to}`}
              d={lineBetween(from, to)}
              className={isOnward ? styles.onward : styles.way}
              {...(isOnward && { markerEnd: 'url(#arrow)' })}
            />
          );
        })}
        {jobStatuses.map((status) => {
          const [x, y] = places[status];
          const place = status === job.status ? 'current' : next.has(status) ? 'next' : 'far';
          return (
            <g key={status} className={styles[place]} data-state={place}>
              <rect x={x} y={y} width={width} height={height} rx="6" />
              <text x={x + width / 2} y={y + height / 2} dominantBaseline="central" textAnchor="middle">
                {status}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption>
        {onward.length === 0 ? (
          'The job has finished.'
        ) : (
          <dl>
            {onward.map(({ to, names }) => (
              <div key={to}>
                <dt>→ {to}</dt>
                <dd>{names.map(transitionText).join(', ')}</dd>
              </div>
            ))}
          </dl>
        )}
      </figcaption>
    </figure>
  );
}

/**
 * Straight to the right; an arc beside the column for statuses in the same column, and an arc below to go back left.
 */
function lineBetween(from: JobStatus, to: JobStatus): string {
  const [fromX, fromY] = places[from];
  const [toX, toY] = places[to];
  const [startY, endY] = [fromY + height / 2, toY + height / 2];
  if (fromX === toX) {
    const side = fromX + width;
    return `M${side} ${startY} C${side + 34} ${startY} ${side + 34} ${endY} ${side} ${endY}`;
  }
  const rightward = toX > fromX;
  const start = rightward ? fromX + width : fromX;
  const end = rightward ? toX : toX + width;
  const middle = (start + end) / 2;
  return `M${start} ${startY} C${middle} ${startY} ${middle} ${endY} ${end} ${endY}`;
}
