import { allowsScope, type UserAction, userActions } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { numberText, plural } from '../../design/count-text.ts';
import { Dialog } from '../../design/dialog.tsx';
import { FormError } from '../../design/form.tsx';
import { actionLooks } from './actions.ts';
import styles from './bulk-actions.module.css';

interface BulkAnswer {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly next_cursor: string | null;
}

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>;
  readonly filter: Readonly<Record<string, string | undefined>>;
  /** Whether there is anything to act on. */
  readonly hasRows: boolean;
  readonly onDone: () => void;
}

/**
 * Acts on the selected rows or on all jobs that match the filter: confirms first, shows progress, reports the outcome.
 */
export function BulkActions({ selected, filter, hasRows, onDone }: BulkActionsProps) {
  const session = useSession();
  const client = useQueryClient();
  const [asked, setAsked] = useState<UserAction>();
  const [wholeFilter, setWholeFilter] = useState(false);
  const [counts, setCounts] = useState<Record<string, number>>({});
  const act = useMutation({
    mutationFn: async (action: UserAction) => {
      const total: Record<string, number> = {};
      let cursor: string | null = null;
      do {
        const target: object = wholeFilter
          ? { filter: bodyFilter(filter), all: true, ...(cursor && { cursor }) }
          : { ids: [...selected] };
        const answer: BulkAnswer = await request('/api/v1/jobs/bulk', {
          method: 'POST',
          body: { action, ...target },
        });
        for (const [name, count] of Object.entries(answer.outcomes)) total[name] = (total[name] ?? 0) + count;
        setCounts({ ...total });
        cursor = answer.next_cursor;
      } while (cursor);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['/api/v1/jobs'] }),
  });

  function ask(action: UserAction) {
    act.reset();
    setCounts({});
    setAsked(action);
  }
  function close() {
    setAsked(undefined);
    if (act.isSuccess) {
      setWholeFilter(false);
      onDone();
    }
  }
  if (!session) return null;
  const whole = Object.keys(filter).length > 0 ? 'all jobs that match the filter' : 'all jobs';
  if (selected.size === 0 && !wholeFilter) {
    if (!hasRows) return null;
    return (
      <p className={styles.hint}>
        Select rows to act on them, or{' '}
        <button type="button" className={styles.whole} onClick={() => setWholeFilter(true)}>
          act on {whole}
        </button>
      </p>
    );
  }
  const target = wholeFilter ? whole : `${numberText(selected.size)} selected`;
  const look = asked && actionLooks[asked];
  return (
    <section className={styles.bar} aria-label="Bulk actions">
      <strong>{target}</strong>
      <span className={styles.actions}>
        {userActions
          .filter((action) => allowsScope(session.scopes, actionLooks[action].scope))
          .map((action) => {
            const { label, icon: Icon } = actionLooks[action];
            return (
              <Button
                key={action}
                small
                look={actionLooks[action].asksFirst ? 'danger' : 'plain'}
                onClick={() => ask(action)}
              >
                <Icon aria-hidden="true" /> {label}
              </Button>
            );
          })}
      </span>
      {!wholeFilter && (
        <Button small look="quiet" onClick={() => setWholeFilter(true)}>
          Choose {whole}
        </Button>
      )}
      <Button
        small
        look="quiet"
        onClick={() => {
          setWholeFilter(false);
          onDone();
        }}
      >
        Deselect
      </Button>
      <Dialog
        open={asked !== undefined}
        onClose={close}
        title={`${look?.label ?? ''}: ${wholeFilter ? whole : plural(selected.size, 'job')}`}
        actions={
          act.isSuccess ? (
            <Button look="primary" onClick={close}>
              Done
            </Button>
          ) : (
            <>
              <Button onClick={close}>Back</Button>
              <Button
                look={look?.asksFirst ? 'danger' : 'primary'}
                disabled={act.isPending}
                onClick={() => asked && act.mutate(asked)}
              >
                {act.isPending ? 'Working …' : look?.label}
              </Button>
            </>
          )
        }
      >
        <p>Each job {look?.meaning}. Jobs whose status does not allow it are not changed.</p>
        {Object.keys(counts).length > 0 && (
          <ul className={styles.outcomes} aria-live="polite">
            {Object.entries(counts)
              .filter(([, count]) => count > 0)
              .map(([name, count]) => (
                <li key={name}>
                  <strong>{numberText(count)}</strong> {outcomeWords[name] ?? name}
                </li>
              ))}
            {Object.values(counts).every((count) => count === 0) && <li>No jobs found.</li>}
          </ul>
        )}
        <FormError error={act.error} />
      </Dialog>
    </section>
  );
}

const outcomeWords: Readonly<Record<string, string>> = {
  done: 'changed',
  requested: 'running: stop requested',
  not_allowed: 'unchanged: their status does not allow it',
  over_quota: 'unchanged: over the quota of your key',
  not_found: 'no longer exist',
};

/** The body uses lists and booleans; the URL has only text. */
function bodyFilter(filter: BulkActionsProps['filter']): Record<string, unknown> {
  const { status, locked, ...rest } = filter;
  const numbers = Object.entries(rest).map(([name, value]) => [
    name,
    name.startsWith('priority_') ? Number(value) : value,
  ]);
  return {
    ...Object.fromEntries(numbers),
    ...(status && { status: status.split(',') }),
    ...(locked && { locked: locked === 'true' }),
  };
}
