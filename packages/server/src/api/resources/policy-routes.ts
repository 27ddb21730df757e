import {
  apiPolicy,
  changedPolicy,
  newPolicy,
  type PolicyRequest,
  policyList,
  policyListQuery,
  policyOptions,
  policyParams,
  ranPolicy,
} from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { policyWithKey } from '../../queue/access/policy-with-key.ts';
import { deletePolicy, runPolicyNow, updatePolicy } from '../../queue/policies/change-policy.ts';
import { createPolicy } from '../../queue/policies/create-policy.ts';
import { findPolicy, listPolicies } from '../../queue/policies/find-policies.ts';
import { concealSecrets } from '../../queue/profiles/unnamed-profile.ts';
import { ownerBound, ownerOf, theCaller } from '../caller.ts';
import { assertMayEvaluate } from '../evaluate-allowed.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['policies'];

export const policyRoutes: RouteGroup = (server, { pool, notifier, configuration, secrets }) => {
  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'createPolicy',
        tags,
        summary: 'Create a policy; its first job starts at once, unless next_run_at is set',
        body: newPolicy,
        response: { 201: apiPolicy },
      },
    },
    async (request, reply) => {
      const caller = theCaller(request);
      assertMayEvaluate(configuration, caller, [request.body.options]);
      const { userId, key } = caller;
      const { options, url } = request.body;
      const wanted = {
        ...request.body,
        options: await concealSecrets(pool, secrets, userId, options, url),
        user_id: userId,
      } as PolicyRequest;
      const policy = await policyWithKey(pool, key, (db) => createPolicy(db, wanted));
      await notifier.notify('policy');
      return reply.code(201).header('location', `/api/v1/policies/${policy.id}`).send(policy);
    },
  );

  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listPolicies',
        tags,
        summary: 'List policies, newest first',
        querystring: policyListQuery,
        response: { 200: policyList },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { user_id, cursor, ...filter } = request.query;
      const owner = ownerBound(caller, { user_id }, 'policies') ?? user_id;
      const page = { ...filter, ...(cursor !== undefined && { after: cursor }) };
      const { rows, next } = await listPolicies(pool, page, owner);
      return { data: rows, next_cursor: next };
    },
  );

  server.get(
    '/:id',
    {
      config: read,
      schema: {
        operationId: 'showPolicy',
        tags,
        summary: 'Show a policy: settings, last runs and next run',
        params: policyParams,
        response: { 200: apiPolicy },
      },
    },
    (request) => findPolicy(pool, request.params.id, ownerOf(theCaller(request))),
  );

  server.patch(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'changePolicy',
        tags,
        summary: 'Change settings of a policy; existing jobs stay as they are',
        params: policyParams,
        body: changedPolicy,
        response: { 200: apiPolicy },
      },
    },
    async (request) => {
      const { params, body } = request;
      const caller = theCaller(request);
      const owner = ownerOf(caller);
      const change = { ...body };
      if (body.options) {
        const { kind, url, user_id } = await findPolicy(pool, params.id, owner);
        checked(policyOptions[kind], body.options, 'options');
        assertMayEvaluate(configuration, caller, [body.options]);
        change.options = await concealSecrets(pool, secrets, user_id, body.options, body.url ?? url);
      }
      const policy = await policyWithKey(
        pool,
        caller.key,
        (db) => updatePolicy(db, params.id, change, owner),
        {
          makesDue: body.next_run_at !== undefined,
        },
      );
      await notifier.notify('policy');
      return policy;
    },
  );

  server.delete(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'deletePolicy',
        tags,
        summary: 'Delete a policy; its jobs and results stay, and a live job runs to its end',
        params: policyParams,
        response: { 200: apiPolicy },
      },
    },
    (request) => {
      const caller = theCaller(request);
      return policyWithKey(pool, caller.key, (db) => deletePolicy(db, request.params.id, ownerOf(caller)));
    },
  );

  for (const enabled of [true, false]) {
    const word = enabled ? 'enable' : 'disable';
    server.post(
      `/:id/${word}`,
      {
        config: write,
        schema: {
          operationId: `${word}Policy`,
          tags,
          summary: enabled
            ? 'Enable a policy; if it is due, it runs at once'
            : 'Disable a policy; a live job runs to its end',
          params: policyParams,
          response: { 200: apiPolicy },
        },
      },
      async (request) => {
        const caller = theCaller(request);
        const policy = await policyWithKey(pool, caller.key, (db) =>
          updatePolicy(db, request.params.id, { enabled }, ownerOf(caller)),
        );
        if (enabled) await notifier.notify('policy');
        return policy;
      },
    );
  }

  server.post(
    '/:id/run',
    {
      config: write,
      schema: {
        operationId: 'runPolicy',
        tags,
        summary: 'Run a policy now, ahead of its schedule',
        params: policyParams,
        response: { 200: ranPolicy, 202: ranPolicy },
      },
    },
    async (request, reply) => {
      const caller = theCaller(request);
      const policy = await policyWithKey(
        pool,
        caller.key,
        (db) => runPolicyNow(db, request.params.id, ownerOf(caller)),
        { makesDue: true },
      );
      await notifier.notify('policy');
      const outcome = policy.live_job_id === null ? ('due' as const) : ('live_job_exists' as const);
      return reply.code(outcome === 'due' ? 202 : 200).send({ ...policy, outcome });
    },
  );
};
