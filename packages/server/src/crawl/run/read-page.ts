import type { FetchHead, FetchResponse } from '../../web/fetch/fetcher.ts';
import type { PageReading } from './page-reading.ts';
import type { ReadBody } from './read-body.ts';

const readable = /^(text\/(html|plain|markdown|x-markdown)|application\/xhtml\+xml)\b/i;

/** Whether a body of this type is a page. Without a type, it is looked at. */
export function isReadable({ contentType }: FetchHead): boolean {
  return contentType === undefined || readable.test(contentType);
}

/** Turns the answer for a page into what is stored of it. */
export async function readPage(
  url: string,
  { status, contentType, etag, lastModified }: FetchResponse,
  body: Buffer,
  reading: PageReading,
  baselineHash?: string | null,
): Promise<ReadBody> {
  const { page, ...read } = await reading.read(url, contentType, body, baselineHash);
  return {
    page: {
      ...page,
      status,
      content_type: contentType ?? null,
      etag: etag ?? null,
      last_modified: lastModified ?? null,
      bytes: body.length,
    },
    ...read,
  };
}
