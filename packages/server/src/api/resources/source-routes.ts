import {
  apiSource,
  HoldfastError,
  pauseSourceRequest,
  sourceList,
  sourceListQuery,
  sourceParams,
  sourcePreferences,
  sourceSettings,
} from '@holdfast/contract';
import { preferencesOfSource } from '../../governor/robots/content-preferences.ts';
import { configureAndWake, pauseAndNotify, resumeAndWake } from '../../governor/sources/change-source.ts';
import { listSources, showSource } from '../../governor/sources/list-sources.ts';
import { sourceView } from '../../governor/sources/source.ts';
import { type Caller, theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const operate = { access: { scope: 'operate' } } as const;
const tags = ['sources'];

/** Sources are shared, but the list of hosts reveals what others crawl: only operators see unconfigured ones. */
export const sourceRoutes: RouteGroup = (server, { pool, notifier }) => {
  const acting = ({ actor }: Caller) => ({ db: pool, notifier, actor });
  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listSources',
        tags,
        summary: 'List sources with their limits and health',
        description: 'Keys that do not see every owner get the configured sources only.',
        querystring: sourceListQuery,
        response: { 200: sourceList },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { configured, blocked, limit, cursor } = request.query;
      if (!caller.seesEveryOwner && configured === false) return { data: [], next_cursor: null };
      const sources = await listSources(pool, {
        configured: caller.seesEveryOwner ? configured : true,
        blocked,
        after: cursor,
        limit: limit + 1,
      });
      const { data, next_cursor } = pageOf(sources, limit, ({ id }) => id);
      return { data: data.map((source) => sourceView(source, caller)), next_cursor };
    },
  );

  server.get(
    '/:id',
    {
      config: read,
      schema: {
        operationId: 'showSource',
        tags,
        summary: 'Show a source',
        params: sourceParams,
        response: { 200: apiSource },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const source = await showSource(pool, request.params.id);
      if (!caller.seesEveryOwner && !source.configured)
        throw new HoldfastError('source_not_found', source.id);
      return sourceView(source, caller);
    },
  );

  server.get(
    '/:id/preferences',
    {
      config: read,
      schema: {
        operationId: 'listSourcePreferences',
        tags,
        summary: 'List what the robots.txt of a source says about the use of its content',
        description:
          'Content-Signal, Content-Usage and License, as written in the robots.txt that was read last.',
        params: sourceParams,
        response: { 200: sourcePreferences },
      },
    },
    async (request) => {
      const { id, configured } = await showSource(pool, request.params.id);
      if (!theCaller(request).seesEveryOwner && !configured) throw new HoldfastError('source_not_found', id);
      return { data: await preferencesOfSource(pool, id) };
    },
  );

  server.put(
    '/:id',
    {
      config: operate,
      schema: {
        operationId: 'configureSource',
        tags,
        summary: 'Create a source, or change settings of one',
        description: 'A host can belong to one configured source only.',
        params: sourceParams,
        body: sourceSettings,
        response: { 200: apiSource },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      return sourceView(await configureAndWake(acting(caller), request.params.id, request.body), caller);
    },
  );

  server.patch(
    '/:id',
    {
      config: operate,
      schema: {
        operationId: 'changeSource',
        tags,
        summary: 'Change settings of an existing source',
        params: sourceParams,
        body: sourceSettings,
        response: { 200: apiSource },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { id } = await showSource(pool, request.params.id);
      return sourceView(await configureAndWake(acting(caller), id, request.body), caller);
    },
  );

  server.post(
    '/:id/pause',
    {
      config: operate,
      schema: {
        operationId: 'pauseSource',
        tags,
        summary: 'Pause a source for some time or until it is resumed',
        params: sourceParams,
        body: pauseSourceRequest,
        response: { 200: apiSource },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { seconds } = request.body ?? {};
      return sourceView(await pauseAndNotify(acting(caller), request.params.id, seconds), caller);
    },
  );

  server.post(
    '/:id/resume',
    {
      config: operate,
      schema: {
        operationId: 'resumeSource',
        tags,
        summary: 'End every pause and slowdown of a source, and start the jobs that wait for it',
        params: sourceParams,
        response: { 200: apiSource },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      return sourceView(await resumeAndWake(acting(caller), request.params.id), caller);
    },
  );
};
