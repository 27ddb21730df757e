import { readFileSync } from 'node:fs';
import {
  executors,
  isLegalMove,
  type JobStatus,
  jobKinds,
  jobStatuses,
  liveStatuses,
  requestedActions,
  type TransitionName,
  transitionNames,
} from '@holdfast/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { referencePages } from '../../cli/docs/reference-pages.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the database says the same as the contract', () => {
  test.each([
    ['job_status', jobStatuses],
    ['job_kind', jobKinds],
    ['job_executor', executors],
    ['job_action', requestedActions],
    ['job_transition', transitionNames],
  ])('about the values of %s', async (type, values) => {
    const { rows } = await database.pool.query(`SELECT unnest(enum_range(NULL::${type}))::text AS value`);
    expect(rows.map((row) => row.value)).toEqual(values);
  });

  test('about every move that each transition may make', async () => {
    const { rows: constraint } = await database.pool.query<{ expression: string }>(
      `SELECT pg_get_expr(conbin, conrelid) AS expression FROM pg_constraint WHERE conname = 'legal_move'`,
    );
    const { rows } = await database.pool.query<{
      transition: TransitionName;
      from_status: JobStatus | null;
      to_status: JobStatus;
      legal: boolean;
    }>(`
      SELECT transition, from_status, to_status, ${constraint[0]?.expression} AS legal
      FROM unnest(enum_range(NULL::job_transition)) AS transition,
        unnest(enum_range(NULL::job_status) || NULL::job_status) AS from_status,
        unnest(enum_range(NULL::job_status)) AS to_status`);
    expect(rows).toHaveLength(transitionNames.length * (jobStatuses.length + 1) * jobStatuses.length);
    const disputed = rows.filter(
      (row) => row.legal !== isLegalMove(row.transition, row.from_status, row.to_status),
    );
    expect(disputed).toEqual([]);
  });

  test('about which statuses are live', async () => {
    const { rows } = await database.pool.query<{ status: JobStatus }>(`
      SELECT status FROM unnest(enum_range(NULL::job_status)) AS status,
        (SELECT indexdef FROM pg_indexes WHERE indexname = 'crawl_jobs_one_live_per_dedupe_key') AS index
      WHERE indexdef LIKE '%''' || status || '''%'`);
    expect(rows.map((row) => row.status)).toEqual(liveStatuses);
  });
});

test.each(Object.entries(referencePages()))('docs/%s is what `npm run docs` writes', (name, text) => {
  const file = new URL(`../../../../../docs/${name}`, import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
