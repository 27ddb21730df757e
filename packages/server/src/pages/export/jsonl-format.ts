import type { StoredPage } from '../stored/stored-page.ts';
import type { PageFormat } from './page-format.ts';

/** Line breaks to some programs (Python's splitlines, JavaScript before 2019), but not to JSON. */
const otherLineBreaks = /[\u0085\u2028\u2029]/g;

/** One JSON object a line. */
export const jsonlFormat = {
  header: () => '',
  wants: { html: true },
  // With "n" before the URL up to 0.2.0.
  isOurs: (beginning) => /^\{("n":\d+,"url":"|"url":"[^"]+","page_no":\d)/.test(beginning.toString()),
  isOutdated: (beginning) => beginning.toString().startsWith('{"n":'),
  record({ url, page_no, change, markdown, links, html, kept: _, ...page }: StoredPage) {
    const compared = change !== null && { change };
    const record = { url, page_no, ...page, ...compared, markdown, links, ...(html !== null && { html }) };
    const line = JSON.stringify(record).replace(
      otherLineBreaks,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return `${line}\n`;
  },
} satisfies PageFormat;
