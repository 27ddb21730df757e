import { ViewHeader } from '../../design/view-header.tsx';
import { PageTable } from '../jobs/job-pages.tsx';

export function PageList() {
  return (
    <>
      <ViewHeader title="Pages" />
      <PageTable path="/api/v1/pages" />
    </>
  );
}
