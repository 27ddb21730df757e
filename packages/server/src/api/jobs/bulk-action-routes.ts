import {
  bulkAnswer as answerSchema,
  type bulkAnswer,
  bulkRequest,
  type Job,
  type UserAction,
} from '@holdfast/contract';
import type { z } from 'zod';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type ActOptions, actOnJobs } from '../../ops/jobs/act-on-job.ts';
import { retryWithKey } from '../../queue/access/jobs-with-key.ts';
import { searchJobIds } from '../../queue/jobs/search-jobs.ts';
import { type Caller, ownerBound, requireScope, theCaller } from '../caller.ts';
import type { ApiContext, RouteGroup } from '../route-group.ts';
import { actionScopes, announce } from './action-routes.ts';

type Outcomes = z.output<typeof bulkAnswer>['outcomes'];

const batchSize = 500;
/** Below the usual timeout of proxies (30 s); the caller continues with the cursor. */
const patienceMs = 20_000;

const visibleIdsStatement = statement<{ id: string }>(
  'visible-job-ids',
  'SELECT id FROM crawl_jobs WHERE id = ANY ($1::uuid[]) AND ($2::text IS NULL OR user_id = $2)',
);

export const jobBulkActionRoutes: RouteGroup = (server, context) => {
  server.post(
    '/bulk',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'bulkActOnJobs',
        tags: ['jobs'],
        summary: 'Perform one action on many jobs, chosen by ids or by a filter',
        description:
          'The counts cover every job. Running jobs get a request and are not waited for. expire and resetLock need the scope `operate`.',
        body: bulkRequest,
        response: { 200: answerSchema },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { action, ids, filter = {}, cursor, reason, afresh } = request.body;
      requireScope(caller, actionScopes[action]);
      const owner = ownerBound(caller, filter);
      // A filter that does not name completed jobs must not run every visit there ever was again.
      const rerun = ids !== undefined || filter.status?.includes('completed') === true;
      const options = { actor: caller.actor, afresh, rerun, ...(reason !== undefined && { reason }) };
      const outcomes: Outcomes = { done: 0, requested: 0, not_allowed: 0, over_quota: 0, not_found: 0 };
      const work = (batch: string[]) => actOnBatch(context, caller, action, batch, options, outcomes);
      if (ids) {
        const distinct = [...new Set(ids)];
        const visible = (await run(context.pool, visibleIdsStatement, [distinct, owner])).map(({ id }) => id);
        outcomes.not_found = distinct.length - visible.length;
        for (let start = 0; start < visible.length; start += batchSize) {
          await work(visible.slice(start, start + batchSize));
        }
        return { action, outcomes, next_cursor: null };
      }
      const until = performance.now() + patienceMs;
      let after: string | undefined = cursor;
      for (;;) {
        const { rows, next } = await searchJobIds(context.pool, { filter, owner, after, limit: batchSize });
        if (rows.length > 0) await work(rows);
        if (next === null) return { action, outcomes, next_cursor: null };
        after = next;
        if (performance.now() > until || context.stopping.aborted)
          return { action, outcomes, next_cursor: next };
      }
    },
  );
};

async function actOnBatch(
  { pool, notifier }: ApiContext,
  { key }: Caller,
  action: UserAction,
  ids: string[],
  options: ActOptions,
  outcomes: Outcomes,
): Promise<void> {
  let left = ids;
  while (left.length > 0) {
    const { tried, changed } = await turn(action, left, options, (work) =>
      action === 'retry' ? retryWithKey(pool, key, work) : work(pool, Number.POSITIVE_INFINITY),
    );
    if (tried === 0) {
      outcomes.over_quota += left.length;
      return;
    }
    const requested = changed.filter(({ requested_action }) => requested_action !== null).length;
    outcomes.requested += requested;
    outcomes.done += changed.length - requested;
    outcomes.not_allowed += tried - changed.length;
    left = left.slice(tried);
    for (const job of new Map(changed.map((job) => [job.status, job])).values()) {
      await announce(notifier, action, job);
    }
  }
}

interface Turn {
  readonly tried: number;
  readonly changed: readonly Job[];
  readonly live: readonly string[];
  readonly made: number;
}

/** As many of the jobs as the live-job quota of the key has room for. */
function turn(
  action: UserAction,
  ids: readonly string[],
  options: ActOptions,
  perform: (work: (db: Queryable, room: number) => Promise<Turn>) => Promise<Turn>,
): Promise<Turn> {
  return perform(async (db, room) => {
    const tried = Math.max(0, Math.min(room, ids.length));
    const changed = tried === 0 ? [] : await actOnJobs(db, action, ids.slice(0, tried), options);
    const asked = new Set(ids);
    const made = changed.filter(({ id }) => !asked.has(id)).length;
    return { tried, changed, live: changed.map(({ id }) => id), made };
  });
}
