import type { LineFormat } from './line-format.ts';

/** Line breaks to some programs (Python's splitlines, JavaScript before 2019), but not to JSON. */
const otherLineBreaks = /[\u0085\u2028\u2029]/g;

/** One JSON object a line. */
export const jsonlFormat: LineFormat = {
  header: '',
  wantsHtml: true,
  isOurs: (beginning) => /^\{"n":\d+,"url":"/.test(beginning),
  record({ page_no, change, markdown, links, html, ...page }) {
    const compared = change !== null && { change };
    const record = { n: page_no, ...page, ...compared, markdown, links, ...(html !== null && { html }) };
    const line = JSON.stringify(record).replace(
      otherLineBreaks,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return `${line}\n`;
  },
};
