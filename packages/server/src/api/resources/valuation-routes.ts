import {
  apiValuation,
  distribution,
  valuationHistory,
  valuationHistoryQuery,
  valuationList,
  valuationListQuery,
  valuationParams,
} from '@holdfast/contract';
import { showDistribution } from '../../shop/valuations/distribution.ts';
import {
  listValuationHistory,
  listValuations,
  showValuation,
} from '../../shop/valuations/find-valuations.ts';
import { ownerBound, ownerOf, theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const config = { access: { scope: 'jobs:read' } } as const;
const tags = ['valuations'];

export const valuationRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listValuations',
        tags,
        summary: 'List valuations, newest intakes first',
        querystring: valuationListQuery,
        response: { 200: valuationList },
      },
    },
    async (request) => {
      const { limit, cursor, user_id, tag, confidence_min } = request.query;
      const owner = ownerBound(theCaller(request), { user_id }) ?? user_id;
      const found = await listValuations(pool, {
        owner,
        tag,
        confidence: confidence_min,
        after: cursor,
        limit: limit + 1,
      });
      return pageOf(found, limit, ({ intake_id }) => intake_id);
    },
  );

  server.get(
    '/:intake_id',
    {
      config,
      schema: {
        operationId: 'showValuation',
        tags,
        summary: 'Show the valuation of an intake, its confidence and reasons',
        params: valuationParams,
        response: { 200: apiValuation },
      },
    },
    (request) => showValuation(pool, request.params.intake_id, ownerOf(theCaller(request))),
  );

  server.get(
    '/:intake_id/distribution',
    {
      config,
      schema: {
        operationId: 'showDistribution',
        tags,
        summary: 'Show the price distribution of an intake, with outliers apart',
        params: valuationParams,
        response: { 200: distribution },
      },
    },
    (request) => showDistribution(pool, request.params.intake_id, ownerOf(theCaller(request))),
  );

  server.get(
    '/:intake_id/history',
    {
      config,
      schema: {
        operationId: 'listValuationHistory',
        tags,
        summary: 'List earlier valuations of an intake, newest first',
        params: valuationParams,
        querystring: valuationHistoryQuery,
        response: { 200: valuationHistory },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      const found = await listValuationHistory(pool, request.params.intake_id, {
        owner: ownerOf(theCaller(request)),
        after: cursor,
        limit: limit + 1,
      });
      return pageOf(found, limit, ({ id }) => id);
    },
  );
};
