import type { ShownJob } from '@holdfast/contract';
import { numberText } from '../../design/count-text.ts';
import { Moment, useNow } from '../../design/moment.tsx';
import { Facts, isLong, Panel } from '../../design/panel.tsx';
import { countdown, LeaseLeft } from './lease-left.tsx';

/** The holder of the job, since when, and when the lease expires. */
export function LeasePanel({ job }: { readonly job: ShownJob }) {
  const now = useNow();
  const elapsed = job.started_at ? Math.max(0, Math.round((now - Date.parse(job.started_at)) / 1000)) : 0;
  return (
    <Panel title="Lease">
      <Facts
        facts={[
          ['Holder', <code key="holder">{job.worker_id}</code>, isLong(job.worker_id) ? 'wide' : undefined],
          ['Fence', numberText(job.fence)],
          ['Held for', countdown(elapsed)],
          ['Left', <LeaseLeft key="left" until={job.lease_expires_at} />],
          ['Last heartbeat', job.last_heartbeat && <Moment key="beat" at={job.last_heartbeat} />],
          ['Requested', job.requested_action],
        ]}
      />
    </Panel>
  );
}
