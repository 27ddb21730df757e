import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { PageTable } from '../jobs/job-pages.tsx';
import { NewCrawl } from '../jobs/new-crawl.tsx';

export function PageList() {
  const mayWrite = useMay('jobs:write');
  const [creating, setCreating] = useState(false);
  return (
    <>
      <ViewHeader title="Pages" />
      <PageTable
        path="/api/v1/pages"
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              Crawl a site
            </Button>
          )
        }
      />
      <NewCrawl open={creating} onClose={() => setCreating(false)} />
    </>
  );
}
