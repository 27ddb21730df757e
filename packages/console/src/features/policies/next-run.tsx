import type { ApiPolicy } from '@holdfast/contract';
import { useNow } from '../../design/moment.tsx';

/** "Ready NOW", "In 2.5 hours": the countdown to the next run. */
export function NextRun({
  policy,
}: {
  readonly policy: Pick<ApiPolicy, 'enabled' | 'next_run_at' | 'live_job_id'>;
}) {
  const now = useNow();
  if (!policy.enabled) return <>–</>;
  if (policy.live_job_id) return <>after this run</>;
  const at = new Date(policy.next_run_at);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString()}>
      {nextRunText(at.getTime() - now)}
    </time>
  );
}

export function nextRunText(milliseconds: number): string {
  if (milliseconds <= 0) return 'Ready NOW';
  const minutes = milliseconds / 60_000;
  if (minutes < 1) return `In ${Math.ceil(milliseconds / 1000)} seconds`;
  if (minutes < 60) return `In ${Math.round(minutes)} minutes`;
  if (minutes < 48 * 60) return `In ${(minutes / 60).toFixed(1)} hours`;
  return `In ${Math.round(minutes / 1440)} days`;
}
