import { setTimeout as delay } from 'node:timers/promises';
import { deletedJob, deleteJobQuery, jobParams } from '@holdfast/contract';
import { deleteOrphan } from '../../crawl/retention/delete-orphans.ts';
import { deleteJob } from '../../queue/jobs/delete-job.ts';
import { ownerOf, theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';

/** Below the usual timeout of proxies (30 s); the rest is deleted after the answer. */
const patienceMs = 20_000;

const description = `Deletes a job that has ended (completed, failed, cancelled, expired) with its pages, their contents, its state
and its timeline. Its result and the price points it found stay unless \`with_results\` is true. A job that has not ended answers 409:
cancel it first. Once this call answers, nothing of the job is visible, and a second call answers 404. The rows of a large crawl are
deleted in short transactions; after 20 seconds the answer says \`is_cleared: false\`, and the rest is deleted in the background. Content
that later recrawls share stays until the last of them is deleted. The idempotency key of the job is free again.`;

export const jobDeleteRoutes: RouteGroup = (server, { pool, log, stopping }) => {
  server.delete(
    '/:id',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'deleteJob',
        tags: ['jobs'],
        summary: 'Delete a job that has ended, with everything it stored',
        description,
        params: jobParams,
        querystring: deleteJobQuery,
        response: { 200: deletedJob },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { with_results: withResults } = request.query;
      const deleted = await deleteJob(pool, request.params.id, { withResults, owner: ownerOf(caller) });
      const { id, kind, status, url, user_id: owner } = deleted;
      log.info(
        { job: id, kind, status, url, owner, by: caller.actor, key: caller.key.id, withResults },
        `Deleted job ${id}`,
      );
      const cleared = deleteOrphan(pool, id, stopping).catch((error) => {
        log.warn(
          { err: error, job: id },
          'Some rows of a deleted job are left; a worker deletes them within the hour',
        );
        return false;
      });
      const patience = new AbortController();
      const isCleared = await Promise.race([
        cleared,
        delay(patienceMs, false, { signal: patience.signal }).catch(() => false),
      ]);
      patience.abort();
      return { ...deleted, is_cleared: isCleared };
    },
  );
};
