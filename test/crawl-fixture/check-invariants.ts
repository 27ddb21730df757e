import type { Pool } from 'pg';
import { expect } from 'vitest';
import { findViolations } from '../../packages/server/src/ops/doctor/check-invariants.ts';

/** What must be true of a job and its crawl at any moment, as `holdfast doctor --invariants` finds it. */
export async function checkInvariants(pool: Pool, jobId: string): Promise<void> {
  const violations = await findViolations(pool, [jobId], 60);
  expect(violations.map(({ invariant, found }) => `${invariant.number}: ${found}`)).toEqual([]);
}
