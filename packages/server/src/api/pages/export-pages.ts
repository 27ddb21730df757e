import { Readable } from 'node:stream';
import { exportQuery, HoldfastError, jobParams } from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { csvFormat } from '../../export/csv-format.ts';
import { jsonlFormat } from '../../export/jsonl-format.ts';
import { readPages } from '../../pages/read-pages.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

const formats = {
  jsonl: { format: jsonlFormat, type: 'application/jsonl' },
  csv: { format: csvFormat, type: 'text/csv' },
} as const;

const description = `What \`holdfast export\` writes, as a stream: fetched pages in the order in which they were stored, with markdown and
links (jsonl: also structured data, and HTML where it was kept). The memory it takes does not depend on the number of pages. An
answer that breaks off can be gone on with: \`after\` is the \`n\` of the last whole line.`;

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
            description: 'A line for each page',
            content: Object.fromEntries(
              Object.values(formats).map(({ type }) => [type, { schema: z.string() }]),
            ),
          },
        },
      },
    },
    async (request, reply) => {
      const { format: name, after } = request.query;
      const { id, kind } = await visibleJob(pool, theCaller(request), request.params.id);
      if (kind !== 'crawl') throw new HoldfastError('bad_request', `job ${id} is a ${kind}, not a crawl`);
      const { format, type } = formats[name];
      async function* lines() {
        if (after === 0 && format.header) yield format.header;
        for await (const page of readPages(pool, id, { after, html: format.wantsHtml }))
          yield format.record(page);
      }
      return sendLines(reply.type(`${type}; charset=utf-8`), lines(), `${id}.${name}`);
    },
  );
};

function sendLines(reply: FastifyReply, lines: AsyncIterable<string>, name: string): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-security-policy', 'sandbox')
    .send(Readable.from(lines, { highWaterMark: 1 }));
}
