import {
  allPagesQuery,
  jobParams,
  keptText,
  pageDiff,
  pageErrors,
  pageList,
  pageListQuery,
  pageParams,
  shownPage,
} from '@holdfast/contract';
import { z } from 'zod';
import { diffPage } from '../../pages/stored/diff-page.ts';
import { readKeptText } from '../../pages/stored/kept-text.ts';
import { listAllPages } from '../../pages/stored/list-all-pages.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';
import { listPages } from '../../pages/stored/list-pages.ts';
import { showPage } from '../../pages/stored/show-page.ts';
import { ownerBound, theCaller, visibleJob } from '../caller.ts';
import { readCursor, writeCursor } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const tags = ['pages'];
const pagePosition = z.strictObject({
  reason: z.string().max(200),
  page_no: z.int().min(0),
});
const positionInAll = z.strictObject({ job_id: z.uuid(), page: pagePosition.optional() });

/** Pages of crawls. */
export const pageRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/pages',
    {
      config: read,
      schema: {
        operationId: 'listPages',
        tags,
        summary: 'List the pages of a crawl, without content',
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

  server.get(
    '/jobs/:id/pages/:hash',
    {
      config: read,
      schema: {
        operationId: 'showPage',
        tags,
        summary: 'Show a page with its markdown, links and structured data',
        params: pageParams,
        response: { 200: shownPage },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return showPage(pool, id, request.params.hash);
    },
  );

  server.get(
    '/jobs/:id/pages/:hash/diff',
    {
      config: read,
      schema: {
        operationId: 'diffPage',
        tags,
        summary: 'Show what changed in a page since the previous crawl',
        params: pageParams,
        response: { 200: pageDiff },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return diffPage(pool, id, request.params.hash);
    },
  );

  server.get(
    '/jobs/:id/errors',
    {
      config: read,
      schema: {
        operationId: 'listErrors',
        tags,
        summary: 'Summarise failed and skipped pages of a crawl by reason, with examples',
        params: jobParams,
        response: { 200: pageErrors },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return listErrors(pool, id);
    },
  );

  server.get(
    '/jobs/:id/kept-text',
    {
      config: read,
      schema: {
        operationId: 'showKeptText',
        tags,
        summary: 'Show how much of the visible text of pages became markdown, by host',
        params: jobParams,
        response: { 200: keptText },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return readKeptText(pool, id);
    },
  );

  server.get(
    '/pages',
    {
      config: read,
      schema: {
        operationId: 'listAllPages',
        tags,
        summary: 'List pages of all crawls, newest crawl first, without content',
        querystring: allPagesQuery,
        response: { 200: pageList },
      },
    },
    async (request) => {
      const { cursor, user_id, ...options } = request.query;
      const owner = ownerBound(theCaller(request), { user_id }) ?? user_id;
      const after = readCursor(positionInAll, cursor);
      const { pages, next } = await listAllPages(pool, { ...options, user_id: owner, after });
      return { data: pages, next_cursor: writeCursor(next) };
    },
  );
};
