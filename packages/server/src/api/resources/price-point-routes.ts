import {
  listedPricePoint,
  pricePointList,
  pricePointListQuery,
  pricePointParams,
  shownPricePoint,
} from '@holdfast/contract';
import { listPricePoints, showPricePoint } from '../../shop/points/find-price-points.ts';
import { deletePricePoint } from '../../shop/points/store-points.ts';
import { ownerBound, ownerOf, theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const tags = ['price points'];

export const pricePointRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listPricePoints',
        tags,
        summary: 'List observed prices, newest first',
        querystring: pricePointListQuery,
        response: { 200: pricePointList },
      },
    },
    async (request) => {
      const { limit, cursor, user_id, ...filter } = request.query;
      const found = await listPricePoints(pool, {
        owner: ownerBound(theCaller(request), { user_id }) ?? user_id,
        intakeId: filter.intake_id,
        sourceId: filter.source_id,
        jobId: filter.job_id,
        priceType: filter.price_type,
        currency: filter.currency,
        since: filter.observed_after,
        until: filter.observed_before,
        after: cursor,
        limit: limit + 1,
      });
      return pageOf(found, limit, ({ id }) => id);
    },
  );

  server.get(
    '/:id',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'showPricePoint',
        tags,
        summary: 'Show an observed price with the raw data of the source',
        params: pricePointParams,
        response: { 200: shownPricePoint },
      },
    },
    async (request, reply) => {
      const { raw, listing_attributes, ...point } = await showPricePoint(
        pool,
        request.params.id,
        ownerOf(theCaller(request)),
      );
      const listed = JSON.stringify({ ...listedPricePoint.encode(point), listing_attributes });
      // Raw JSON text, so that numbers keep their digits.
      const answer = `${listed.slice(0, -1)},"raw":${raw ?? 'null'}}`;
      return reply.type('application/json; charset=utf-8').send(answer as never);
    },
  );

  server.delete(
    '/:id',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'deletePricePoint',
        tags,
        summary: 'Delete a wrong price; its intake is valued again without it',
        params: pricePointParams,
        response: { 200: listedPricePoint },
      },
    },
    (request) => deletePricePoint(pool, request.params.id, ownerOf(theCaller(request))),
  );
};
