import { foundByDiscovery, type PageErrors, type ShownJob } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { numberText, plural } from '../../design/count-text.ts';
import { Failed } from '../../design/failed.tsx';
import { FormError } from '../../design/form.tsx';
import { Notice } from '../../design/notice.tsx';
import { Panel } from '../../design/panel.tsx';
import styles from './job-errors.module.css';

/** Errors by reason; selected reasons can be retried. */
export function JobErrors({ job }: { readonly job: ShownJob }) {
  const mayWrite = useMay('jobs:write');
  const client = useQueryClient();
  const path = `/api/v1/jobs/${job.id}`;
  const { data, error, refetch } = useOne<Wire<PageErrors>>(
    `${path}/errors`,
    {},
    job.status === 'processing' ? 5_000 : undefined,
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const retry = useMutation({
    mutationFn: () => request(`${path}/retry-urls`, { method: 'POST', body: { reasons: [...chosen] } }),
    onSuccess: () => setChosen(new Set()),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
  if (error && !data) return <Failed error={error} again={refetch} />;
  if (!data) return null;
  if (data.data.length === 0) return <Notice title="No failed or skipped pages" />;
  const canRetry = mayWrite && job.allowed_actions.includes('retryUrls');
  function toggle(reason: string) {
    const next = new Set(chosen);
    if (!next.delete(reason)) next.add(reason);
    setChosen(next);
  }
  return (
    <>
      {canRetry && (
        <p className={styles.bar}>
          <Button
            look="primary"
            disabled={chosen.size === 0 || retry.isPending}
            onClick={() => retry.mutate()}
          >
            <RotateCcw aria-hidden="true" /> Retry the URLs of{' '}
            {chosen.size === 0 ? 'the selected reasons' : plural(chosen.size, 'reason')}
          </Button>
        </p>
      )}
      <FormError error={retry.error} />
      <div className={styles.groups}>
        {data.data.map((group) => (
          <Panel
            key={`${group.outcome} ${group.reason}`}
            title={`${group.reason} · ${numberText(group.count)}${group.exact ? '' : '+'} ${group.outcome}`}
            actions={
              canRetry &&
              !foundByDiscovery.includes(group.reason) && (
                <label>
                  <input
                    type="checkbox"
                    checked={chosen.has(group.reason)}
                    onChange={() => toggle(group.reason)}
                  />{' '}
                  choose
                </label>
              )
            }
          >
            <ul className={styles.samples}>
              {group.samples.map((sample) => (
                <li key={sample.url_hash}>
                  <span>{sample.url}</span>
                  {sample.message && <small>{sample.message}</small>}
                </li>
              ))}
            </ul>
          </Panel>
        ))}
      </div>
    </>
  );
}
