import { jobParams, pageList, pageListQuery } from '@holdfast/contract';
import { z } from 'zod';
import { listPages } from '../../pages/stored/list-pages.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { visibleJob } from '../jobs/visible-job.ts';

export const pagePosition = z.strictObject({
  reason: z.string().max(200),
  page_no: z.int().min(0),
});

export const listPagesRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/pages',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listPages',
        tags: ['pages'],
        summary: 'The pages of a crawl, without their content',
        params: jobParams,
        querystring: pageListQuery,
        response: { 200: pageList },
      },
    },
    async (request) => {
      const { cursor, ...options } = request.query;
      const after = readCursor(pagePosition, cursor);
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      const { pages, next } = await listPages(pool, id, { ...options, after });
      return { data: pages, next_cursor: writeCursor(next) };
    },
  );
};
