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
    description: 'Server-Sent Events; the stream does not end',
    content: { 'text/event-stream': { schema: z.string() } },
  },
};

const allDescription = `Sends a \`transition\` message per job event, with the job's id, kind and owner. With Last-Event-ID, or
\`last_event_id\`, the stream continues after that message without gaps or duplicates, on any server. Without it, the stream
starts now. A \`reset\` message means that the id is not from this database.`;

const jobDescription = `Sends the events of this job as \`transition\` messages, from the first or after the number in Last-Event-ID,
and \`progress\` messages at the start and when progress changes, at most one per second.`;

/** Live events. No HEAD routes, because a stream does not end. */
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
        summary: 'Stream job events',
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
          // A client that loses the connection before the first event resumes at its start.
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
        request.log.error({ err: error }, 'An event stream failed');
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
        summary: 'Stream the events and progress of a job',
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
        notify: ({ events, progress, isGone }) => {
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
  if (!position) throw new HoldfastError('bad_request', 'last_event_id must be an id from this stream');
  return position;
}

function eventNumber(id: string): number {
  if (!/^\d{1,9}$/.test(id))
    throw new HoldfastError('bad_request', 'last_event_id must be the number of an event');
  return Number(id);
}
