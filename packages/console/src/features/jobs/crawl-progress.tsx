import { isLive, type ShownJob } from '@holdfast/contract';
import { numberText } from '../../design/count-text.ts';
import { Moment } from '../../design/moment.tsx';
import { Facts, Panel } from '../../design/panel.tsx';
import { ProgressBar } from '../../design/progress-bar.tsx';
import { useProgress } from './use-progress.ts';

/** The progress of a crawl. */
export function CrawlProgress({ job }: { readonly job: ShownJob }) {
  const progress = useProgress(job);
  if (!progress) return null;
  const { changes } = progress;
  return (
    <Panel
      title="Progress"
      actions={progress.progress_percentage > 0 && <ProgressBar percent={progress.progress_percentage} />}
    >
      <Facts
        facts={[
          ['Done', numberText(progress.done)],
          ['Left', numberText(progress.pending)],
          ['Fetched', numberText(progress.fetched)],
          ['Failed', numberText(progress.failed)],
          ['Skipped', numberText(progress.skipped)],
          ['Redirected', numberText(progress.redirected)],
          ['Beyond limits', progress.not_crawled > 0 && numberText(progress.not_crawled)],
          ['Out of scope', offScopeText(job), 'wide'],
          ['Depth', progress.current_depth],
          ['New', changes && numberText(changes.new)],
          ['Changed', changes && numberText(changes.changed)],
          ['Unchanged', changes && numberText(changes.unchanged)],
          ['Gone', changes && numberText(changes.gone)],
          ['Estimated end', progress.estimated_end_at && <Moment key="end" at={progress.estimated_end_at} />],
          ['Current URL', isLive(job.status) ? progress.current_url : null, 'wide'],
        ]}
      />
    </Panel>
  );
}

/** "3 off_host, 1 too_deep": links not followed, most frequent reason first. */
function offScopeText({ crawl }: ShownJob): string | null {
  const reasons = Object.entries(crawl?.off_scope ?? {}).sort(([, a], [, b]) => b - a);
  return reasons.map(([reason, count]) => `${numberText(count)} ${reason}`).join(', ') || null;
}
