import { eventStreamQuery, HoldfastError, jobParams, jobStreamQuery } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EventFeed } from '../../queue/events/event-feed.ts';
import {
  formatPosition,
  parsePosition,
  placeOf,
  type StreamPosition,
} from '../../queue/events/event-stream.ts';
import { ownerBound, theCaller, visibleJob } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';
import { JobWatch } from './job-watch.ts';
import { OpenStreams, sendStream } from './open-streams.ts';

const streamAnswer = {
  200: {
    description: 'Server-Sent Events, without an end',
    content: { 'text/event-stream': { schema: z.string() } },
  },
};

const allDescription = `Messages \`transition\`, each an event of a job with the job's id, kind and owner. With
Last-Event-ID, or \`last_event_id\`, the stream goes on behind that message: none is missed and none comes twice, whichever
server answers. Without it, it starts now. A message \`reset\` says that the id was not of this database.`;

const jobDescription = `Messages \`transition\`, the events of this job from its first on, or behind the one with the number
in Last-Event-ID; and messages \`progress\`, at most one a second, at the start and when something has moved.`;

/** Live events. A stream is no use to HEAD, and would not end. */
export const eventRoutes: RouteGroup = (server, context) => {
  const { pool, log, listener } = context;
  const streams = new OpenStreams(context);
  const feed = new EventFeed({ db: pool, listener, log });
  const watch = new JobWatch({ db: pool, listener, log });

  server.get(
    '/events',
    {
      exposeHeadRoute: false,
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'streamEvents',
        tags: ['events'],
        summary: 'Everything that happens to jobs, live',
        description: allDescription,
        querystring: eventStreamQuery,
        response: streamAnswer,
      },
    },
    async (request, reply) => {
      const caller = theCaller(request);
      const { kind, status: statuses, job, user_id, last_event_id } = request.query;
      const userId = ownerBound(caller, { user_id }) ?? user_id;
      if (job) await visibleJob(pool, caller, job);
      const given = lastEventId(request, last_event_id);
      let position: StreamPosition | undefined = given === undefined ? undefined : streamPosition(given);
      const channel = streams.open(request, () => position && formatPosition(position));
      const followed = feed.follow(position, { kind, statuses, job, userId }, channel.closed);
      const pump = async () => {
        let isFirst = true;
        for await (const fed of followed) {
          if (fed.reset) channel.send({ event: 'reset', data: {} });
          // So that who is cut off before anything happened comes back to where it began.
          if (isFirst) channel.beat(formatPosition(fed.position));
          isFirst = false;
          for (const { tx, ...event } of fed.events) {
            if (!(await channel.hasRoom())) return;
            position = placeOf({ tx, ...event });
            channel.send({ id: formatPosition(position), event: 'transition', data: event });
          }
          position = fed.position;
        }
      };
      pump().catch((error: unknown) => {
        request.log.error({ err: error }, 'A stream of events broke off');
        channel.end();
      });
      return sendStream(reply, channel);
    },
  );

  server.get(
    '/jobs/:id/stream',
    {
      exposeHeadRoute: false,
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'streamJob',
        tags: ['events'],
        summary: 'What happens to one job, and how far it is, live',
        description: jobDescription,
        params: jobParams,
        querystring: jobStreamQuery,
        response: streamAnswer,
      },
    },
    async (request, reply) => {
      const caller = theCaller(request);
      const { id } = await visibleJob(pool, caller, request.params.id);
      const after = eventNumber(lastEventId(request, request.query.last_event_id) ?? '0');
      const channel = streams.open(request);
      const leave = watch.add({
        jobId: id,
        after,
        isReady: () => channel.isReady,
        tell: ({ events, progress, isGone }) => {
          for (const event of events) {
            channel.send({ id: String(event.event_no), event: 'transition', data: { job_id: id, ...event } });
          }
          if (progress) channel.send({ event: 'progress', data: progress });
          if (isGone) channel.end();
          if (!channel.isReady) void channel.hasRoom();
        },
      });
      channel.closed.addEventListener('abort', leave);
      return sendStream(reply, channel);
    },
  );
};

function lastEventId({ headers }: FastifyRequest, fromQuery: string | undefined): string | undefined {
  const header = headers['last-event-id'];
  return typeof header === 'string' && header !== '' ? header : fromQuery;
}

function streamPosition(id: string): StreamPosition {
  const position = parsePosition(id);
  if (!position) throw new HoldfastError('bad_request', 'last_event_id must be an id that this stream gave');
  return position;
}

function eventNumber(id: string): number {
  if (!/^\d{1,9}$/.test(id))
    throw new HoldfastError('bad_request', 'last_event_id must be the number of an event');
  return Number(id);
}
