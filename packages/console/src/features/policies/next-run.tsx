import type { ApiPolicy } from '@holdfast/contract';
import { plural } from '../../design/count-text.ts';
import { exactTime, useNow } from '../../design/moment.tsx';

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
    <time dateTime={at.toISOString()} title={exactTime(at)}>
      {nextRunText(at.getTime() - now)}
    </time>
  );
}

function nextRunText(milliseconds: number): string {
  if (milliseconds <= 0) return 'Ready NOW';
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `In ${plural(seconds, 'second')}`;
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 60) return `In ${plural(minutes, 'minute')}`;
  const hours = Math.round(milliseconds / 360_000) / 10;
  return hours < 48 ? `In ${plural(hours, 'hour')}` : `In ${plural(Math.round(hours / 24), 'day')}`;
}
