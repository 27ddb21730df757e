import {
  listedResult,
  priceChangeList,
  priceChangeListQuery,
  priceHistory as priceHistoryPage,
  priceHistoryQuery,
  resultList,
  resultListQuery,
  resultParams,
  shownResult,
} from '@holdfast/contract';
import { readRawResult, searchResults, showResult } from '../../shop/results/find-results.ts';
import { listPriceChanges, priceHistory } from '../../shop/results/price-changes.ts';
import { ownerBound, ownerOf, theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const config = { access: { scope: 'jobs:read' } } as const;
const tags = ['results'];

export const resultRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/results',
    {
      config,
      schema: {
        operationId: 'listResults',
        tags,
        summary: 'List results of visits, newest first',
        querystring: resultListQuery,
        response: { 200: resultList },
      },
    },
    async (request) => {
      const { limit, cursor, ...filter } = request.query;
      const owner = ownerBound(theCaller(request), filter);
      const { rows, next } = await searchResults(pool, { filter, owner, limit, after: cursor });
      return { data: rows, next_cursor: next };
    },
  );

  server.get(
    '/results/:id',
    {
      config,
      schema: {
        operationId: 'showResult',
        tags,
        summary: 'Show a result with all data read from the page',
        params: resultParams,
        response: { 200: shownResult },
      },
    },
    async (request, reply) => {
      const { parsed_data, ...result } = await showResult(
        pool,
        request.params.id,
        ownerOf(theCaller(request)),
      );
      const listed = JSON.stringify(listedResult.encode(result));
      // Raw JSON text, so that numbers keep their digits.
      const answer = `${listed.slice(0, -1)},"parsed_data":${parsed_data ?? 'null'}}`;
      return reply.type('application/json; charset=utf-8').send(answer as never);
    },
  );

  server.get(
    '/results/:id/raw',
    {
      config,
      schema: {
        operationId: 'downloadRawResult',
        tags,
        summary: 'Download the page as the bot saw it',
        params: resultParams,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const html = await readRawResult(pool, id, ownerOf(theCaller(request)));
      // Opened in a browser, it runs no scripts and not in our origin.
      return reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-disposition': `attachment; filename="result-${id}.html"`,
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(html);
    },
  );

  server.get(
    '/price-history',
    {
      config,
      schema: {
        operationId: 'listPriceHistory',
        tags,
        summary: 'List the price history of a page, newest first',
        querystring: priceHistoryQuery,
        response: { 200: priceHistoryPage },
      },
    },
    async (request) => {
      const {
        policy_id,
        url = '',
        currency,
        crawled_after,
        crawled_before,
        user_id,
        limit,
        cursor,
      } = request.query;
      const owner = ownerBound(theCaller(request), request.query) ?? user_id;
      const found = await priceHistory(pool, {
        of: policy_id === undefined ? { url } : { policyId: policy_id },
        owner,
        currency,
        since: crawled_after,
        until: crawled_before,
        after: cursor,
        limit: limit + 1,
      });
      return pageOf(found, limit, ({ result_id }) => result_id);
    },
  );

  server.get(
    '/price-changes',
    {
      config,
      schema: {
        operationId: 'listPriceChanges',
        tags,
        summary: 'List price changes, newest first',
        description:
          'The completion event of the job also reports the change, in its timeline and in the stream.',
        querystring: priceChangeListQuery,
        response: { 200: priceChangeList },
      },
    },
    async (request) => {
      const { policy_id, url, changed_after, changed_before, user_id, limit, cursor } = request.query;
      const found = await listPriceChanges(pool, {
        owner: ownerBound(theCaller(request), { user_id }) ?? user_id,
        policyId: policy_id,
        url,
        since: changed_after,
        until: changed_before,
        after: cursor,
        limit: limit + 1,
      });
      return pageOf(found, limit, ({ result_id }) => result_id);
    },
  );
};
