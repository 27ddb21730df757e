import type { KeptText } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** The newest pages that are counted, and the hosts that are listed. */
const countLimit = 5_000;
const hostLimit = 50;

interface HostRow {
  readonly host: string;
  readonly pages: number;
  readonly words: number;
  readonly visible_words: number;
  readonly hosts: number;
  readonly counted: number;
}

/* One page more than is counted tells whether there are more. Pages without visibleWords kept all of their text. */
const keptTextStatement = statement<HostRow>(
  'count-kept-text',
  `
WITH page AS (
  SELECT substring(url from '^[a-z]+://(?:[^/@]*@)?([^/?#]+)') AS host, word_count,
    greatest(word_count, (structured->>'visibleWords')::integer) AS visible
  FROM crawl_pages
  WHERE job_id = $1 AND outcome = 'fetched' AND word_count IS NOT NULL
  ORDER BY page_no DESC LIMIT ${countLimit + 1}
)
SELECT coalesce(host, '') AS host, count(*)::integer AS pages, sum(word_count)::bigint AS words,
  sum(visible)::bigint AS visible_words, count(*) OVER ()::integer AS hosts,
  sum(count(*)) OVER ()::integer AS counted
FROM page GROUP BY host
ORDER BY sum(word_count)::float8 / greatest(sum(visible), 1), host LIMIT ${hostLimit}`,
);

/** How much of the visible text of a crawl's pages became markdown, by host; the smallest share first. */
export async function readKeptText(db: Queryable, jobId: string): Promise<KeptText> {
  const rows = await run(db, keptTextStatement, [jobId]);
  const { hosts = 0, counted = 0 } = rows[0] ?? {};
  return {
    data: rows.map(({ host, pages, words, visible_words }) => ({
      host,
      pages,
      words: Number(words),
      visible_words: Number(visible_words),
      kept_percent:
        Number(visible_words) === 0 ? 100 : Math.round((100 * Number(words)) / Number(visible_words)),
    })),
    hosts,
    pages: Math.min(counted, countLimit),
    exact: counted <= countLimit,
  };
}
