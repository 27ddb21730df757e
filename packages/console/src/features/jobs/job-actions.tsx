import { type ApiJob, type ShownJob, type UserAction, userActions } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { FormError } from '../../design/form.tsx';
import { actionLooks } from './actions.ts';

/** The actions available now to the signed-in user. */
export function JobActions({ job }: { readonly job: ShownJob }) {
  const mayWrite = useMay('jobs:write');
  const mayOperate = useMay('operate');
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<UserAction>();
  const act = useMutation({
    mutationFn: (action: UserAction) =>
      request<ApiJob>(`/api/v1/jobs/${job.id}/${actionLooks[action].path}`, { method: 'POST', body: {} }),
    onSuccess: (changed) => {
      setAsked(undefined);
      // A completed one runs again as a new job.
      if (changed.id !== job.id) void navigate({ to: '/jobs/$id', params: { id: changed.id } });
    },
    onError: (_error, action) => setAsked(action),
    onSettled: () => client.invalidateQueries({ queryKey: [`/api/v1/jobs/${job.id}`] }),
  });
  const allowed = userActions.filter(
    (action) =>
      job.allowed_actions.includes(action) &&
      (actionLooks[action].scope === 'operate' ? mayOperate : mayWrite),
  );
  function start(action: UserAction) {
    act.reset();
    if (actionLooks[action].asksFirst) setAsked(action);
    else act.mutate(action);
  }
  const look = asked && actionLooks[asked];
  return (
    <>
      {allowed.map((action) => {
        const { label, icon: Icon, asksFirst } = actionLooks[action];
        const isRerun = action === 'retry' && job.status === 'completed';
        return (
          <Button
            key={action}
            look={asksFirst ? 'danger' : 'plain'}
            disabled={act.isPending}
            onClick={() => start(action)}
          >
            <Icon aria-hidden="true" /> {isRerun ? 'Run again' : label}
          </Button>
        );
      })}
      <Dialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={look?.question ?? ''}
        actions={
          <>
            <Button onClick={() => setAsked(undefined)}>Back</Button>
            <Button look="danger" disabled={act.isPending} onClick={() => asked && act.mutate(asked)}>
              {look?.label}
            </Button>
          </>
        }
      >
        <p>The job {look?.meaning}.</p>
        <FormError error={act.error} />
      </Dialog>
    </>
  );
}
