import { BodyPieces } from '../../web/fetch/body-pieces.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { type ListedUrl, readSitemapList, type UrlList } from './read-url-list.ts';

/** Reads a sitemap while it comes: it may have 50 MB. Fails as the request does, or the reading. */
export async function fetchList(
  fetch: (pieces: BodyPieces) => Promise<FetchResponse>,
  found: ListedUrl,
): Promise<{ response: FetchResponse; list: UrlList }> {
  const pieces = new BodyPieces();
  const fetched = fetch(pieces).finally(() => pieces.end());
  // Both at once: a reading that fails while the site still sends must find somebody who listens.
  const [response, list] = await Promise.all([fetched, readSitemapList(pieces, found)]);
  return { response, list };
}
