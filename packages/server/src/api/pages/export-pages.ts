import { Readable } from 'node:stream';
import { type ExportFormat, exportQuery, HoldfastError, jobParams } from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { csvFormat } from '../../pages/export/csv-format.ts';
import { jsonlFormat } from '../../pages/export/jsonl-format.ts';
import type { PageFormat } from '../../pages/export/page-format.ts';
import { warcFormat } from '../../pages/export/warc-format.ts';
import { readPages } from '../../pages/stored/read-pages.ts';
import { assertNotDeleted } from '../../queue/jobs/find-jobs.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

interface SentFormat {
  readonly format: PageFormat;
  readonly type: string;
  readonly extension: string;
}

const formats: Record<ExportFormat, SentFormat> = {
  jsonl: { format: jsonlFormat, type: 'application/jsonl; charset=utf-8', extension: 'jsonl' },
  csv: { format: csvFormat, type: 'text/csv; charset=utf-8', extension: 'csv' },
  warc: { format: warcFormat({ gzip: true }), type: 'application/gzip', extension: 'warc.gz' },
};

const description = `What \`holdfast export\` writes, as a stream: fetched pages in the order in which they were stored, with markdown and
links (jsonl: also structured data, and HTML where it was kept). The memory it takes does not depend on the number of pages. An
answer that breaks off can be gone on with: \`after\` is the \`page_no\` of the last whole line. What is stored of a crawl that is
not over is sent; \`x-job-status\` tells. WARC (1.1, gzip) has answers as they came where the crawl kept them
(\`keep_bodies\`), else what was made of them.`;

export const exportPagesRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/export',
    {
      exposeHeadRoute: false,
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'exportPages',
        tags: ['pages'],
        summary: 'All pages of a crawl in one answer',
        description,
        params: jobParams,
        querystring: exportQuery,
        response: {
          200: {
            description: 'A line for each page, or its WARC records',
            content: Object.fromEntries(
              Object.values(formats).map(({ type }) => [type.split(';')[0], { schema: z.string() }]),
            ),
          },
        },
      },
    },
    async (request, reply) => {
      const { format: name, after } = request.query;
      const { id, kind, status } = await visibleJob(pool, theCaller(request), request.params.id);
      if (kind !== 'crawl') throw new HoldfastError('bad_request', `job ${id} is a ${kind}, not a crawl`);
      const { format, type, extension } = formats[name as ExportFormat];
      async function* records() {
        const header = after === 0 ? format.header(id) : '';
        if (header.length > 0) yield header;
        for await (const page of readPages(pool, id, { after, ...format.wants }))
          yield await format.record(page, id);
        // The answer breaks off, instead of ending as if it were whole.
        await assertNotDeleted(pool, id);
      }
      return sendRecords(reply.type(type).header('x-job-status', status), records(), `${id}.${extension}`);
    },
  );
};

function sendRecords(
  reply: FastifyReply,
  records: AsyncIterable<string | Buffer>,
  name: string,
): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-security-policy', 'sandbox')
    .send(Readable.from(records, { highWaterMark: 1 }));
}
