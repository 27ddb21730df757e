import { backoff } from './backoff.ts';
import { Deadline } from './deadline.ts';
import { isPassing } from './is-passing.ts';
import { readBody } from './read-body.ts';
import type { Transport } from './transport.ts';
import { wait } from './wait.ts';

/** A page with its content, as `holdfast export` writes it. */
export interface ExportedPage {
  readonly url: string;
  /** Its number among all outcomes of the crawl, in storage order. */
  readonly page_no: number;
  readonly canonical_url: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly depth: number;
  readonly word_count: number | null;
  readonly bytes: number | null;
  readonly fetched_at: string;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly content_hash: string | null;
  /** Whether it ran in a browser before it was read. */
  readonly rendered: boolean;
  /** Why it was rendered, or why not although it may need JavaScript. */
  readonly render_reason?: string;
  /** The file name that `holdfast export` gives its screenshot: its url_hash and .png. */
  readonly screenshot?: string;
  readonly structured: unknown;
  /** In a recrawl: new, changed or unchanged. */
  readonly change?: string;
  readonly markdown: string | null;
  readonly links: readonly string[];
  /** If the crawl stored it. */
  readonly html?: string;
}

export interface ExportOptions {
  /** Only pages after this `page_no`. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Consecutive attempts to resume; default 4. */
  readonly retries?: number | undefined;
}

const silenceMs = 60_000;

/** Streams all pages. A broken download is resumed after the last complete page. */
export async function* readExport(
  transport: Transport,
  id: string,
  { after = 0, signal, retries = 4 }: ExportOptions,
): AsyncGenerator<ExportedPage, void, undefined> {
  let last = after;
  for (let failures = 0; ; failures++) {
    const deadline = new Deadline(signal);
    try {
      signal?.throwIfAborted();
      deadline.set(silenceMs);
      const sent = { path: { id }, query: { format: 'jsonl', after: last } } as const;
      const response = await transport.open('exportPages', sent, deadline, 'application/jsonl');
      for await (const line of readLines(response, deadline)) {
        const page = JSON.parse(line) as ExportedPage;
        failures = 0;
        last = page.page_no;
        yield page;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || failures >= retries) throw error;
    } finally {
      deadline.abort();
    }
    await wait(backoff(failures), signal);
  }
}

async function* readLines(response: Response, deadline: Deadline): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const text of readBody(response, 'The export', deadline, silenceMs)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
