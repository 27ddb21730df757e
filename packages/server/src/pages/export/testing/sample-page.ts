import type { StoredPage } from '../../stored/page.ts';

/** A stored page with everything that a test does not care about. */
export function samplePage(fields: Partial<StoredPage> = {}): StoredPage {
  return {
    page_no: 1,
    url: 'https://example.com/',
    url_hash: '0f115db0-62b7-c0dd-030b-16878c99dea5',
    canonical_url: null,
    title: 'Title',
    description: null,
    language: 'en',
    status: 200,
    content_type: 'text/html',
    depth: 0,
    word_count: 2,
    bytes: 100,
    fetched_at: new Date('2026-01-02T03:04:05.678Z'),
    etag: null,
    last_modified: null,
    content_hash: null,
    change: null,
    rendered: false,
    render_reason: null,
    structured: null,
    markdown: 'Some words',
    links: [],
    html: null,
    kept: null,
    has_screenshot: false,
    screenshot: null,
    ...fields,
  };
}
