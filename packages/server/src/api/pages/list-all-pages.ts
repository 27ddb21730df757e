import { allPagesQuery, pageList } from '@holdfast/contract';
import { z } from 'zod';
import { listAllPages } from '../../pages/stored/list-all-pages.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { ownerBound } from '../jobs/list-jobs.ts';
import { pagePosition } from './list-pages.ts';

const position = z.strictObject({ job_id: z.uuid(), page: pagePosition.optional() });

export const listAllPagesRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/pages',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listAllPages',
        tags: ['pages'],
        summary: 'Pages of all crawls, those of the newest first, without their content',
        querystring: allPagesQuery,
        response: { 200: pageList },
      },
    },
    async (request) => {
      const { cursor, user_id, ...options } = request.query;
      const owner = ownerBound(theCaller(request), { user_id }) ?? user_id;
      const after = readCursor(position, cursor);
      const { pages, next } = await listAllPages(pool, { ...options, user_id: owner, after });
      return { data: pages, next_cursor: writeCursor(next) };
    },
  );
};
