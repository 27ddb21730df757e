import type { HostCause, Waiting } from '@holdfast/contract';
import { Link } from '@tanstack/react-router';
import { CirclePlay } from 'lucide-react';
import { useMay } from '../../api/session.ts';
import type { Wire } from '../../api/wire.ts';
import { Button } from '../../design/button.tsx';
import { CodeText } from '../../design/code-text.tsx';
import { FormError } from '../../design/form.tsx';
import { exactTime, Moment } from '../../design/moment.tsx';
import { actionLabels, releaseOf, useActOnSource } from '../sources/act-on-source.ts';
import styles from './job-detail.module.css';

/** Causes that end when the source is resumed or enabled. */
const releasable: readonly HostCause[] = ['operator', 'disabled', 'failures', 'retry_after'];

interface WaitNoticeProps {
  readonly jobPath: string;
  readonly waiting: Wire<Waiting>;
}

/** Why a job waits, until when, and what ends the wait. The text is from the server; available actions are buttons. */
export function WaitNotice({ jobPath, waiting }: WaitNoticeProps) {
  const { reason, cause, text, until, ends, source_id: sourceId } = waiting;
  const mayOperate = useMay('operate');
  const act = useActOnSource(jobPath);
  const release = releaseOf({ enabled: cause !== 'disabled' });
  const canRelease = mayOperate && cause !== null && releasable.includes(cause);
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
          {canRelease && (
            <Button
              small
              disabled={act.isPending}
              onClick={() => act.mutate({ id: sourceId, action: release })}
            >
              <CirclePlay aria-hidden="true" /> {actionLabels[release]} source
            </Button>
          )}
          <Link to="/sources">Sources</Link>
        </p>
      )}
      <FormError error={act.error} />
    </section>
  );
}
