import type { Configuration } from '@holdfast/contract';
import type { Database } from '../../base/database/open-database.ts';
import type { Check, Finding } from './finding.ts';
import {
  checkBloat,
  checkClock,
  checkConnections,
  checkDurability,
  checkLocks,
  checkSchema,
} from './postgresql-checks.ts';
import { checkProxies } from './proxy-check.ts';
import { checkDeliveries, checkLeases, checkWorkers } from './queue-checks.ts';

const serverChecks: readonly Check[] = [checkClock, checkDurability, checkConnections, checkLocks];
const tableChecks: readonly Check[] = [checkLeases, checkWorkers, checkDeliveries, checkProxies, checkBloat];

export async function runChecks(database: Database, configuration: Configuration): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'database', state: 'ok', found: database.describe }];
  const schema = await checkSchema(database, configuration);
  findings.push(schema);
  // Without the tables of Holdfast, only PostgreSQL itself can be checked.
  for (const check of schema.state === 'ok' ? [...serverChecks, ...tableChecks] : serverChecks) {
    findings.push(await check(database, configuration));
  }
  return findings;
}
