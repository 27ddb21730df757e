import type { HostCause, Waiting } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePlay } from 'lucide-react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { CodeText } from '../../design/code-text.tsx';
import { FormError } from '../../design/form.tsx';
import { exactTime, Moment } from '../../design/moment.tsx';
import styles from './job-detail.module.css';

/** Causes that end when the source is resumed. */
const resumable: readonly HostCause[] = ['operator', 'failures', 'retry_after'];

interface WaitNoticeProps {
  readonly jobPath: string;
  readonly waiting: Wire<Waiting>;
}

/** Why a job waits, until when, and what ends it. The words are the server's; what can be done here has a button. */
export function WaitNotice({ jobPath, waiting }: WaitNoticeProps) {
  const { reason, cause, text, until, ends, source_id: sourceId } = waiting;
  const mayOperate = useMay('operate');
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: (id: string) =>
      request(`/api/v1/sources/${encodeURIComponent(id)}/resume`, { method: 'POST', body: {} }),
    onSettled: () => client.invalidateQueries({ queryKey: [jobPath] }),
  });
  const canResume = mayOperate && cause !== null && resumable.includes(cause);
  return (
    <section className={styles.note} aria-label="Why it waits">
      <p>
        <strong>{text}</strong>
        {until && (
          <>
            , until {exactTime(new Date(until))} (<Moment at={until} />)
          </>
        )}
        .
      </p>
      <p>
        <CodeText text={ends} />
      </p>
      {reason === 'worker' && <Link to="/workers">Workers</Link>}
      {sourceId !== null && (
        <p className={styles.actions}>
          {canResume && (
            <Button small disabled={resume.isPending} onClick={() => resume.mutate(sourceId)}>
              <CirclePlay aria-hidden="true" /> Resume source
            </Button>
          )}
          <Link to="/sources">Sources</Link>
        </p>
      )}
      <FormError error={resume.error} />
    </section>
  );
}
