import type { StoredPage } from '../../../packages/server/src/pages/stored/page.ts';
import { readPages } from '../../../packages/server/src/pages/stored/read-pages.ts';
import { makePage, pathOf, siteLinks } from '../site/page-maker.ts';
import type { HoldfastCrawl } from './holdfast.ts';

/** Throws unless every page of the site is stored once, as a user reads it, with all that was asked for. */
export async function checkPages(
  { database, jobId }: Pick<HoldfastCrawl, 'database' | 'jobId'>,
  site: { readonly origin: string; readonly pages: number },
  markdown: boolean,
): Promise<void> {
  const links = siteLinks(site.pages);
  const expected = new Map(
    Array.from({ length: site.pages }, (_, page) => [`${site.origin}${pathOf(page)}`, page]),
  );
  for await (const stored of readPages(database.pool, jobId)) {
    const page = expected.get(stored.url);
    if (page === undefined) throw new Error(`${stored.url} is no page of the site, or stored twice`);
    expected.delete(stored.url);
    const wrong = whatIsWrong(stored, makePage(page, links), site.origin, markdown);
    if (wrong) throw new Error(`${stored.url}: ${wrong}`);
  }
  if (expected.size > 0) throw new Error(`${expected.size} of ${site.pages} pages are not stored`);
}

function whatIsWrong(
  stored: StoredPage,
  made: ReturnType<typeof makePage>,
  origin: string,
  markdown: boolean,
): string | undefined {
  if (stored.title !== made.title) return `its title is ${stored.title}`;
  if (stored.language !== 'en' || !stored.description || !stored.content_hash) return 'metadata are missing';
  const links = made.links.map((path) => `${origin}${path}`);
  if (stored.links.length !== links.length || !links.every((link) => stored.links.includes(link)))
    return `it has ${stored.links.length} links`;
  if (!markdown) return undefined;
  const text = stored.markdown ?? '';
  if (!text.includes(made.sentence) || !text.includes('| Name | Count | Remark |'))
    return 'its text is missing';
  if (text.includes(made.boilerplate)) return 'boilerplate is in its text';
  return undefined;
}
