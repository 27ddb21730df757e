import type { JobStatus } from '@holdfast/contract';
import { useList } from '../../api/use-list.ts';
import { ListBody } from '../../design/list-body.tsx';
import { Moment } from '../../design/moment.tsx';
import { Notice } from '../../design/notice.tsx';
import { StatusBadge } from '../../design/status-badge.tsx';
import styles from './timeline.module.css';
import { transitionText } from './transition-text.ts';

interface TimelineEvent {
  readonly event_no: number;
  readonly transition: string;
  readonly from_status: JobStatus | null;
  readonly to_status: JobStatus;
  readonly fence: number;
  readonly at: string;
  readonly actor: string;
  readonly reason: string | null;
}

/** All events of the job, with actor and reason. */
export function Timeline({ jobId }: { readonly jobId: string }) {
  const list = useList<TimelineEvent>(`/api/v1/jobs/${jobId}/events`, {}, 100);
  return (
    <ListBody list={list} empty={<Notice title="No events recorded" />}>
      <ol className={styles.timeline} aria-label="Timeline">
        {list.rows.map((event) => (
          <li key={event.event_no}>
            <span className={styles.when}>
              <Moment at={event.at} />
            </span>
            <span className={styles.what}>
              <strong>{transitionText(event.transition)}</strong> <StatusBadge status={event.to_status} />
            </span>
            <span className={styles.who}>
              {event.actor} <span title="The number of the lease">· fence {event.fence}</span>
            </span>
            {event.reason && <p>{event.reason}</p>}
          </li>
        ))}
      </ol>
    </ListBody>
  );
}
