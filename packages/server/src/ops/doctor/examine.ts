import type { Configuration } from '@holdfast/contract';
import type { Database } from '../../base/database/open-database.ts';
import { checkBloat } from './check-bloat.ts';
import { checkClock } from './check-clock.ts';
import { checkConnections } from './check-connections.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { checkDurability } from './check-durability.ts';
import { checkLeases } from './check-leases.ts';
import { checkLocks } from './check-locks.ts';
import { checkSchema } from './check-schema.ts';
import { checkWorkers } from './check-workers.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

export type Check = (database: Database, configuration: Configuration) => Promise<Finding>;

const checks: readonly Check[] = [checkClock, checkDurability, checkConnections, checkLocks];
const checksOfSchema: readonly Check[] = [checkLeases, checkWorkers, checkDeliveries, checkBloat];

export async function examine(database: Database, configuration: Configuration): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'database', state: 'ok', found: database.describe }];
  const schema = await checkSchema(database, configuration);
  findings.push(schema);
  // Without our tables, only PostgreSQL itself can be examined.
  for (const check of schema.state === 'ok' ? [...checks, ...checksOfSchema] : checks) {
    findings.push(await check(database, configuration));
  }
  return findings;
}
