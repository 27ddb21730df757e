import type { ShownJob } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import styles from './job-detail.module.css';
import { lastError } from './last-error.ts';
import { WaitNotice } from './wait-notice.tsx';

/**
 * What the job waits for; otherwise how the last run ended, if that still matters: as an error, or as a notice if it is
 * retried automatically.
 */
export function RunNotice({ job }: { readonly job: ShownJob }) {
  if (job.waiting) return <WaitNotice jobPath={`/api/v1/jobs/${job.id}`} waiting={job.waiting} />;
  const error = lastError(job);
  if (error)
    return (
      <p className={styles.error}>
        <strong>{error.code}</strong> {error.message}
      </p>
    );
  if (job.status !== 'pending' && job.status !== 'processing') return null;
  if (job.failed_start)
    return (
      <p className={styles.note}>
        A runner on worker <code>{job.failed_start.worker_id}</code> died before its first request. No retry
        was used; the job{' '}
        {job.status === 'processing' ? `now runs on ${job.worker_id}` : 'continues by itself'}.{' '}
        <Link to="/workers">Workers</Link> and <code>holdfast doctor</code> say what is wrong with that
        worker.
      </p>
    );
  if (job.status === 'processing' || !job.error_message) return null;
  return (
    <p className={styles.note}>Its last run ended early: {job.error_message}. It continues by itself.</p>
  );
}
