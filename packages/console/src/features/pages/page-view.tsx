import { type Block, describeBlock, type ShownJob, type ShownPage } from '@holdfast/contract';
import { Link, useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';
import { numberText } from '../../design/count-text.ts';
import { Failed } from '../../design/failed.tsx';
import { Moment } from '../../design/moment.tsx';
import { OutsideLink } from '../../design/outside-link.tsx';
import { Facts, Panel } from '../../design/panel.tsx';
import { useSearchState } from '../../design/search-state.ts';
import { Tabs } from '../../design/tabs.tsx';
import { ViewHeader } from '../../design/view-header.tsx';
import { fetchedByText } from './fetched-by.ts';
import { MarkdownView } from './markdown-view.tsx';
import { PageDiff } from './page-diff.tsx';
import styles from './page-view.module.css';

/** One stored page. Crawled content is shown as text; its HTML can only be downloaded. */
export function PageView() {
  const { jobId, hash } = useParams({ strict: false }) as { jobId: string; hash: string };
  const path = `/api/v1/jobs/${jobId}/pages/${hash}`;
  const { data: page, error, refetch } = useOne<Wire<ShownPage>>(path);
  const { data: job } = useOne<Wire<ShownJob>>(`/api/v1/jobs/${jobId}`);
  const profile = profileOf(job?.payload ?? {});
  const [state] = useSearchState();
  if (error && !page)
    return (
      <>
        <ViewHeader title="Page" />
        <Failed
          error={error}
          again={refetch}
          gone={{ title: 'Page not found', text: 'It may have been deleted with its job.' }}
        />
      </>
    );
  if (!page) return null;
  const tabs = [
    'preview',
    ...(page.has_screenshot ? ['screenshot'] : []),
    'markdown',
    ...(page.change === 'changed' ? ['diff'] : []),
    'links',
    'data',
  ];
  const tab = tabs.includes(state['tab'] ?? '') ? state['tab'] : 'preview';
  return (
    <>
      <ViewHeader title={page.title ?? page.url}>
        {page.markdown !== null && (
          <a className={styles.download} href={`${path}/markdown`} download>
            <Download aria-hidden="true" /> Markdown
          </a>
        )}
        {page.has_screenshot && (
          <a className={styles.download} href={`${path}/screenshot`} download>
            <Download aria-hidden="true" /> Screenshot
          </a>
        )}
        {page.has_html && (
          <a className={styles.download} href={`${path}/html`} download>
            <Download aria-hidden="true" /> HTML
          </a>
        )}
      </ViewHeader>
      <Panel>
        <Facts
          facts={[
            ['URL', <OutsideLink key="url" url={page.url} />, 'wide'],
            ['Outcome', page.reason ? `${page.outcome}: ${page.reason}` : page.outcome],
            ['Message', page.message],
            ['Status', page.status],
            ['Type', page.content_type],
            ['Language', page.language],
            ['Words', page.word_count === null ? null : numberText(page.word_count)],
            ['Depth', page.depth],
            ['Fetched', <Moment key="at" at={page.fetched_at} />],
            ['Change', page.change],
            ['Profile', profile],
            ['Proxy', page.proxy],
            ['Blocked', page.blocked && blockedText(page.blocked)],
            ['ETag', page.etag],
            ['Last modified', page.last_modified],
            [
              'Job',
              <Link key="job" to="/jobs/$id" params={{ id: page.job_id }}>
                {page.job_id}
              </Link>,
              'wide',
            ],
            ['Fetched by', fetchedByText(page), page.render_reason === null ? undefined : 'wide'],
          ]}
        />
      </Panel>
      <Tabs names={tabs} current={tab ?? 'preview'} />
      <Panel>
        {tab === 'preview' && <MarkdownView text={page.markdown} />}
        {tab === 'screenshot' && (
          <img
            className={styles.screenshot}
            src={`${path}/screenshot`}
            alt={`Screenshot of ${page.title ?? page.url}`}
          />
        )}
        {tab === 'markdown' && <pre className={styles.source}>{page.markdown ?? 'No content.'}</pre>}
        {tab === 'diff' && <PageDiff jobId={jobId} hash={hash} />}
        {tab === 'links' && (
          <ul className={styles.links}>
            {page.links.map((link) => (
              <li key={link}>
                <OutsideLink url={link} />
              </li>
            ))}
          </ul>
        )}
        {tab === 'data' && <pre className={styles.source}>{JSON.stringify(page.structured, null, 2)}</pre>}
      </Panel>
    </>
  );
}

function blockedText(block: Wire<Block>): string {
  const tried = block.tried ? `; tried: ${block.tried.join(', ')}` : '';
  return `${describeBlock(block as Block)}${tried}`;
}

/** The sign-in of the crawl that fetched the page. */
function profileOf({ profile, unnamed_profile: unnamed }: Record<string, unknown>): string | null {
  if (typeof profile === 'string') return profile;
  return unnamed === undefined ? null : 'headers of the crawl';
}
