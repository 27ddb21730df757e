import type { JobStatus } from '@holdfast/contract';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  TimerOff,
} from 'lucide-react';
import styles from './status-badge.module.css';

/** Each status has its own shape as well as its colour. */
const icons: Record<JobStatus, LucideIcon> = {
  pending: CircleDashed,
  processing: LoaderCircle,
  retryable: Clock,
  paused: CirclePause,
  completed: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
  expired: TimerOff,
};

export function StatusBadge({ status, label }: { readonly status: JobStatus; readonly label?: string }) {
  const Icon = icons[status];
  return (
    <span className={`${styles.badge} ${styles[status]}`}>
      <Icon aria-hidden="true" className={status === 'processing' ? styles.turning : undefined} />
      {label ?? status}
    </span>
  );
}
