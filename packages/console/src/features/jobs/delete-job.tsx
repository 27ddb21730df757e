import { isLive, type JobKind, type ShownJob } from '@holdfast/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { FormError } from '../../design/form.tsx';

/** Data of a job that remains after it is deleted. */
const results: Record<JobKind, string | undefined> = {
  crawl: undefined,
  visit: 'its result',
  collect: 'its price points',
};

/** Deletes a finished job after a confirmation, then returns to the list. Needs write access. */
export function DeleteJob({ job }: { readonly job: ShownJob }) {
  const mayWrite = useMay('jobs:write');
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const [withResults, setWithResults] = useState(false);
  const path = `/api/v1/jobs/${job.id}`;
  const remove = useMutation({
    mutationFn: () => request(path, { method: 'DELETE', query: { with_results: withResults } }),
    onSuccess: async () => {
      await navigate({ to: '/jobs' });
      client.removeQueries({ queryKey: [path] });
      await client.invalidateQueries({ queryKey: ['/api/v1/jobs'] });
    },
  });
  if (!mayWrite || isLive(job.status)) return null;
  const ask = () => {
    remove.reset();
    setWithResults(false);
    setAsked(true);
  };
  const result = results[job.kind];
  return (
    <>
      <Button look="danger" onClick={ask}>
        <Trash2 aria-hidden="true" /> Delete
      </Button>
      <Dialog
        open={isAsked}
        onClose={() => setAsked(false)}
        title="Delete job"
        actions={
          <>
            <Button onClick={() => setAsked(false)}>Back</Button>
            <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </>
        }
      >
        <p>
          This deletes the job, its timeline{job.kind === 'crawl' && ', its pages'} and everything else it
          stored. It cannot be undone.
        </p>
        {result && (
          <p>
            <label>
              <input
                type="checkbox"
                checked={withResults}
                onChange={(event) => setWithResults(event.target.checked)}
              />{' '}
              Also delete {result}
            </label>
          </p>
        )}
        <FormError error={remove.error} />
      </Dialog>
    </>
  );
}
