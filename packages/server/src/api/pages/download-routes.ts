import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import {
  type CrawlOptions,
  type ExportFormat,
  exportQuery,
  HoldfastError,
  jobParams,
  pageParams,
} from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AiRefusals } from '../../governor/robots/content-preferences.ts';
import { csvFormat, jsonlFormat } from '../../pages/export/line-formats.ts';
import type { PageFormat } from '../../pages/export/page-output.ts';
import { warcFormat } from '../../pages/export/warc-format.ts';
import { readPages } from '../../pages/stored/read-pages.ts';
import { readScreenshot } from '../../pages/stored/read-screenshot.ts';
import { readPageContent } from '../../pages/stored/show-page.ts';
import { assertNotDeleted } from '../../queue/jobs/find-jobs.ts';
import { robotsAgent } from '../../web/robots/robots-rules.ts';
import { theCaller, visibleJob } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const tags = ['pages'];

const contents = {
  html: {
    type: 'text/html',
    extension: 'html',
    operationId: 'downloadPageHtml',
    summary: 'Download the raw HTML of a page, if its crawl stored it',
  },
  markdown: {
    type: 'text/markdown',
    extension: 'md',
    operationId: 'downloadPageMarkdown',
    summary: 'Download the markdown of a page, of any size',
  },
} as const;

interface SentFormat {
  readonly format: PageFormat;
  readonly type: string;
  readonly extension: string;
}

const exports: Record<ExportFormat, SentFormat> = {
  jsonl: { format: jsonlFormat, type: 'application/jsonl; charset=utf-8', extension: 'jsonl' },
  csv: { format: csvFormat, type: 'text/csv; charset=utf-8', extension: 'csv' },
  warc: { format: warcFormat({ gzip: true }), type: 'application/gzip', extension: 'warc.gz' },
};

const exportDescription = `Streams what \`holdfast export\` writes: fetched pages in the order they were stored, with markdown and
links (jsonl also has structured data, and HTML if the crawl kept it). Memory use does not depend on the number of pages. To continue
an interrupted export, set \`after\` to the \`page_no\` of the last complete line. An export of an unfinished crawl has the pages stored
so far; see the header \`x-job-status\`. WARC (1.1, gzip) has the original responses if the crawl kept them (\`keep_bodies\`), otherwise
conversion records, and the screenshots. In jsonl and csv, \`screenshot\` is the file name that \`holdfast export\` gives the picture:
the page's \`url_hash\` and \`.png\`.`;

/** Content of sites, as attachments: opened in a browser, it is sandboxed and never runs as one of our pages. */
export const pageDownloadRoutes: RouteGroup = (server, { pool, configuration }) => {
  for (const content of ['html', 'markdown'] as const) {
    const { type, extension, operationId, summary } = contents[content];
    server.get(
      `/jobs/:id/pages/:hash/${content}`,
      {
        exposeHeadRoute: false,
        config: read,
        schema: {
          operationId,
          tags,
          summary,
          params: pageParams,
          response: { 200: { description: summary, content: { [type]: { schema: z.string() } } } },
        },
      },
      async (request, reply) => {
        const { hash } = request.params;
        const { id } = await visibleJob(pool, theCaller(request), request.params.id);
        const inflate = createInflateRaw();
        inflate.end(await readPageContent(pool, id, hash, content));
        reply.type(`${type}; charset=utf-8`);
        return sendFile(reply, inflate, `page-${hash}.${extension}`);
      },
    );
  }

  server.get(
    '/jobs/:id/pages/:hash/screenshot',
    {
      exposeHeadRoute: false,
      config: read,
      schema: {
        operationId: 'downloadPageScreenshot',
        tags,
        summary: 'Download the screenshot of a page, if its crawl took one',
        params: pageParams,
        response: {
          200: { description: 'A PNG image', content: { 'image/png': { schema: z.string() } } },
        },
      },
    },
    async (request, reply) => {
      const { hash } = request.params;
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      const picture = await readScreenshot(pool, id, hash);
      return sendFile(reply.type('image/png'), Readable.from([picture]), `page-${hash}.png`);
    },
  );

  server.get(
    '/jobs/:id/export',
    {
      exposeHeadRoute: false,
      config: read,
      schema: {
        operationId: 'exportPages',
        tags,
        summary: 'Export all pages of a crawl as one stream',
        description: exportDescription,
        params: jobParams,
        querystring: exportQuery,
        response: {
          200: {
            description: 'A line per page, or its WARC records',
            content: Object.fromEntries(
              Object.values(exports).map(({ type }) => [type.split(';')[0], { schema: z.string() }]),
            ),
          },
        },
      },
    },
    async (request, reply) => {
      const { format: name, after, skip_no_ai } = request.query;
      const { id, kind, status, payload } = await visibleJob(pool, theCaller(request), request.params.id);
      if (kind !== 'crawl') throw new HoldfastError('bad_request', `job ${id} is a ${kind}, not a crawl`);
      const { format, type, extension } = exports[name as ExportFormat];
      const agent = robotsAgent(payload as Partial<CrawlOptions>, configuration.userAgent);
      const refusals = skip_no_ai ? new AiRefusals(pool, agent) : undefined;
      async function* records() {
        const header = after === 0 ? format.header(id) : '';
        if (header.length > 0) yield header;
        for await (const page of readPages(pool, id, { after, ...format.wants }))
          if (!(await refusals?.refuses(page.url))) yield await format.record(page, id);
        // Breaks the response off, so that a partial export does not look complete.
        await assertNotDeleted(pool, id);
      }
      reply.type(type).header('x-job-status', status);
      return sendFile(reply, Readable.from(records(), { highWaterMark: 1 }), `${id}.${extension}`);
    },
  );
};

function sendFile(reply: FastifyReply, body: Readable, name: string): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-security-policy', 'sandbox')
    .send(body);
}
