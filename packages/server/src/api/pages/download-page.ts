import { createInflateRaw } from 'node:zlib';
import { pageParams } from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { readPageContent } from '../../pages/stored/show-page.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

const forms = {
  html: {
    type: 'text/html',
    extension: 'html',
    operationId: 'downloadPageHtml',
    summary: 'The raw HTML of a page, if its crawl stored it',
  },
  markdown: {
    type: 'text/markdown',
    extension: 'md',
    operationId: 'downloadPageMarkdown',
    summary: 'The main content of a page as markdown, whatever its size',
  },
} as const;

/** What others wrote is never shown as ours: it is a file to be saved, and a sandbox if it is opened all the same. */
export const downloadRoutes: RouteGroup = (server, { pool }) => {
  for (const form of ['html', 'markdown'] as const) {
    const { type, extension, operationId, summary } = forms[form];
    server.get(
      `/jobs/:id/pages/:hash/${form}`,
      {
        exposeHeadRoute: false,
        config: { access: { scope: 'jobs:read' } },
        schema: {
          operationId,
          tags: ['pages'],
          summary,
          params: pageParams,
          response: { 200: { description: summary, content: { [type]: { schema: z.string() } } } },
        },
      },
      async (request, reply) => {
        const { hash } = request.params;
        const { id } = await visibleJob(pool, theCaller(request), request.params.id);
        const stored = await readPageContent(pool, id, hash, form);
        return sendDeflated(reply.type(`${type}; charset=utf-8`), stored, `page-${hash}.${extension}`);
      },
    );
  }
};

function sendDeflated(reply: FastifyReply, deflated: Buffer, name: string): FastifyReply {
  const inflate = createInflateRaw();
  inflate.end(deflated);
  return reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-security-policy', 'sandbox')
    .send(inflate);
}
