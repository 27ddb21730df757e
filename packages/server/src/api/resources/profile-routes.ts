import {
  apiProfile,
  newProfile,
  profileList,
  profileListQuery,
  profileParams,
  replacedProfile,
} from '@holdfast/contract';
import {
  createProfile,
  deleteProfile,
  findProfile,
  listProfiles,
  replaceProfile,
} from '../../queue/profiles/profiles.ts';
import { theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['profiles'];

/** Profiles are visible only to their owner, even for operators and admins. */
export const profileRoutes: RouteGroup = (server, { pool, secrets }) => {
  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'createProfile',
        tags,
        summary: 'Store headers, cookies or a password under a name; the values are never shown again',
        body: newProfile,
        response: { 201: apiProfile },
      },
    },
    async (request, reply) => {
      const { userId } = theCaller(request);
      const profile = await createProfile(pool, secrets, { ...request.body, user_id: userId });
      return reply.code(201).header('location', `/api/v1/profiles/${profile.name}`).send(profile);
    },
  );

  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listProfiles',
        tags,
        summary: 'List your profiles by name',
        querystring: profileListQuery,
        response: { 200: profileList },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      const data = await listProfiles(pool, theCaller(request).userId, limit, cursor);
      return { data, next_cursor: data.length === limit ? (data.at(-1)?.name ?? null) : null };
    },
  );

  server.get(
    '/:name',
    {
      config: read,
      schema: {
        operationId: 'showProfile',
        tags,
        summary: 'Show what a profile holds, without the values',
        params: profileParams,
        response: { 200: apiProfile },
      },
    },
    (request) => findProfile(pool, theCaller(request).userId, request.params.name),
  );

  server.put(
    '/:name',
    {
      config: write,
      schema: {
        operationId: 'replaceProfile',
        tags,
        summary: 'Replace everything that a profile holds; running jobs use it from the next request on',
        params: profileParams,
        body: replacedProfile,
        response: { 200: apiProfile },
      },
    },
    (request) => {
      const { userId } = theCaller(request);
      const { name } = request.params;
      return replaceProfile(pool, secrets, { ...request.body, name, user_id: userId });
    },
  );

  server.delete(
    '/:name',
    {
      config: write,
      schema: {
        operationId: 'deleteProfile',
        tags,
        summary: 'Delete a profile with its values; jobs that use it fail',
        params: profileParams,
        response: { 200: apiProfile },
      },
    },
    (request) => deleteProfile(pool, secrets, theCaller(request).userId, request.params.name),
  );
};
