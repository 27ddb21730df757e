import type { CreatedJob } from '@holdfast/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Globe, Play } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useMay, useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { FormError } from '../../design/form.tsx';
import { Notice } from '../../design/notice.tsx';
import { NewCrawl } from '../jobs/new-crawl.tsx';

/** The first-run view: an introduction and a one-click sample crawl. */
export function FirstRun() {
  const session = useSession();
  const mayWrite = useMay('jobs:write');
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const demo = useMutation({
    mutationFn: () => request<CreatedJob>('/api/v1/demo', { method: 'POST' }),
    onSuccess: ({ id }) =>
      void navigate({ to: '/jobs/$id', params: { id }, search: { tab: 'pages' } as never }),
  });
  if (!mayWrite)
    return <Notice title="Nothing has run yet">Your key is read-only. An operator can start a crawl.</Notice>;
  return (
    <>
      <Notice
        title="Welcome. Nothing has run yet."
        actions={
          <>
            {session?.offers_demo && (
              <Button look="primary" disabled={demo.isPending} onClick={() => demo.mutate()}>
                <Play aria-hidden="true" /> Run the demo crawl
              </Button>
            )}
            <Button look={session?.offers_demo ? 'plain' : 'primary'} onClick={() => setCreating(true)}>
              <Globe aria-hidden="true" /> Crawl a site
            </Button>
          </>
        }
      >
        Give Holdfast a site and it stores every page as markdown. After a crash, a restart or a network
        outage, it continues where it stopped.
        {session?.offers_demo && ' The demo crawls a sample site of 200 pages on this machine.'}
      </Notice>
      <FormError error={demo.error} />
      <NewCrawl open={creating} onClose={() => setCreating(false)} />
    </>
  );
}
