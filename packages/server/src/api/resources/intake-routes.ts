import {
  apiIntake,
  enqueuedIntakeJobs,
  enqueueIntake,
  enqueueIntakes as enqueueIntakesRequest,
  type Intake,
  type IntakeRequest,
  importedIntakes,
  importedPricePoints,
  intakeChange,
  intakeImport,
  intakeList,
  intakeListQuery,
  intakeParams,
  intakeRequest,
  type NewPricePoint,
  pricePointImport,
} from '@holdfast/contract';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import { enqueueAndWake } from '../../queue/jobs/enqueue-jobs.ts';
import { createIntake, deleteIntake, updateIntake } from '../../shop/intakes/edit-intakes.ts';
import { enqueueIntakes } from '../../shop/intakes/enqueue-intakes.ts';
import { findIntake, listIntakes } from '../../shop/intakes/find-intakes.ts';
import { importIntakes, intakesFromCsv } from '../../shop/intakes/import-intakes.ts';
import { importPoints, pointsFromCsv } from '../../shop/points/import-points.ts';
import { type Caller, ownerBound, ownerOf, theCaller } from '../caller.ts';
import { jobView } from '../jobs/job-view.ts';
import type { ApiContext, RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['intakes'];

export const intakeRoutes: RouteGroup = (server, context) => {
  const { pool } = context;

  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'createIntake',
        tags,
        summary: 'Create an intake',
        body: intakeRequest,
        response: { 201: apiIntake },
      },
    },
    async (request, reply) => {
      const intake = await createIntake(pool, theCaller(request).userId, request.body);
      return reply.code(201).header('location', `/api/v1/intakes/${intake.id}`).send(intake);
    },
  );

  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listIntakes',
        tags,
        summary: 'List intakes, newest first',
        querystring: intakeListQuery,
        response: { 200: intakeList },
      },
    },
    async (request) => {
      const { limit, cursor, user_id, confidence_min, ...filter } = request.query;
      const owner = ownerBound(theCaller(request), { user_id }) ?? user_id;
      const page = await listIntakes(pool, {
        ...filter,
        confidence: confidence_min,
        owner,
        after: cursor,
        limit,
      });
      return { data: page.rows, next_cursor: page.next };
    },
  );

  server.post(
    '/import',
    {
      config: write,
      schema: {
        operationId: 'importIntakes',
        tags,
        summary: 'Import up to 1,000 intakes, all or none: {"intakes": […]}, or CSV as {"csv": "…"}',
        description:
          'CSV is a string in JSON, with a header row. An intake with a known reference is changed, so that an import can be repeated.',
        body: intakeImport,
        response: { 200: importedIntakes },
      },
    },
    (request) => {
      const { intakes, csv = '' } = request.body;
      const given = (intakes as IntakeRequest[] | undefined) ?? intakesFromCsv(csv);
      return importIntakes(pool, theCaller(request).userId, given);
    },
  );

  server.post(
    '/enqueue',
    {
      config: write,
      schema: {
        operationId: 'enqueueIntakes',
        tags,
        summary: 'Collect prices for several intakes, one job per source',
        body: enqueueIntakesRequest,
        response: { 200: enqueuedIntakeJobs },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { ids, ...options } = request.body;
      const intakes = [];
      for (const id of new Set(ids)) intakes.push(await findIntake(pool, id, ownerOf(caller)));
      return { data: await enqueueFor(context, caller, intakes, options) };
    },
  );

  server.get(
    '/:id',
    {
      config: read,
      schema: {
        operationId: 'showIntake',
        tags,
        summary: 'Show an intake',
        params: intakeParams,
        response: { 200: apiIntake },
      },
    },
    (request) => findIntake(pool, request.params.id, ownerOf(theCaller(request))),
  );

  server.patch(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'changeIntake',
        tags,
        summary: 'Change fields of an intake',
        description: 'Its price points are matched again, and it is valued again.',
        params: intakeParams,
        body: intakeChange,
        response: { 200: apiIntake },
      },
    },
    (request) => updateIntake(pool, request.params.id, request.body, ownerOf(theCaller(request))),
  );

  server.delete(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'deleteIntake',
        tags,
        summary: 'Delete an intake with its price points and valuation; its live jobs are cancelled',
        params: intakeParams,
        response: { 200: apiIntake },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      return deleteIntake(pool, request.params.id, caller.actor, ownerOf(caller));
    },
  );

  server.post(
    '/:id/enqueue',
    {
      config: write,
      schema: {
        operationId: 'enqueueIntake',
        tags,
        summary: 'Collect prices for an intake, one job per source',
        params: intakeParams,
        body: enqueueIntake,
        response: { 200: enqueuedIntakeJobs },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const intake = await findIntake(pool, request.params.id, ownerOf(caller));
      return { data: await enqueueFor(context, caller, [intake], request.body ?? {}) };
    },
  );

  server.post(
    '/:id/price-points',
    {
      config: write,
      schema: {
        operationId: 'importPricePoints',
        tags: ['price points'],
        summary: 'Import prices of an intake, all or none, as JSON or CSV',
        params: intakeParams,
        body: pricePointImport,
        response: { 200: importedPricePoints },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { source_id, price_points, csv = '' } = request.body;
      return importPoints(pool, {
        intakeId: request.params.id,
        sourceId: source_id,
        points: (price_points as NewPricePoint[] | undefined) ?? pointsFromCsv(csv),
        actor: caller.actor,
        owner: ownerOf(caller),
      });
    },
  );
};

interface Asked {
  readonly sources?: readonly string[] | undefined;
  readonly stagger_seconds?: number | undefined;
  readonly priority?: number | undefined;
}

/** Jobs belong to the owner of their intakes. Quotas of the key apply, unless an operator acts for others. */
async function enqueueFor(
  context: Pick<ApiContext, 'pool' | 'notifier'>,
  { key, userId, actor }: Caller,
  intakes: readonly Intake[],
  { sources, stagger_seconds, priority }: Asked,
) {
  const isOwn = intakes.every(({ user_id }) => user_id === userId);
  const enqueued = await enqueueIntakes(
    context.pool,
    intakes,
    { sources, staggerSeconds: stagger_seconds, priority },
    (requests) =>
      isOwn ? enqueueWithKey(context, key, requests, actor) : enqueueAndWake(context, requests, actor),
  );
  return enqueued.map(({ job, ...rest }) => ({ ...rest, job: jobView(job) }));
}
