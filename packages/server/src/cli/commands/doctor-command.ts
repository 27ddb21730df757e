import { exitCodes, HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled } from '../../base/process/installation.ts';
import { checkBrowser } from '../../ops/doctor/check-browser.ts';
import { checkInvariants } from '../../ops/doctor/check-invariants.ts';
import type { Finding } from '../../ops/doctor/finding.ts';
import { runChecks } from '../../ops/doctor/run-checks.ts';
import { forTerminal } from '../terminal-text.ts';
import { configurationOf, withDatabase } from '../with-database.ts';

const marks = { ok: 'ok  ', warning: 'warn', problem: 'FAIL' } as const;

interface Options {
  readonly json?: true;
  readonly invariants?: true;
  readonly job?: string;
}

const help = `
Checks the database (reachable, schema version, clock, durability, connections, locks, dead rows), overdue leases, workers,
webhook deliveries, and whether a browser starts here that can render pages. Exits with 1 if it finds a problem.`;

export const doctorCommand = new Command('doctor')
  .description('check the database, the workers, the webhooks and the browser, with advice')
  .option('--invariants', 'check the newest jobs and crawls against the invariants; reads only')
  .option('--job <id>', 'check the invariants of this job only, however large its crawl')
  .option('--json', 'print JSON')
  .addHelpText('after', help)
  .action(async ({ json, invariants, job }: Options, command: Command) => {
    const findings: Finding[] = [];
    const configuration = configurationOf(command);
    try {
      await withDatabase(
        command,
        async ({ database, configuration }) => {
          findings.push(...(await runChecks(database, configuration)));
          if (!invariants && !job) return;
          if (findings.some(({ check, state }) => check === 'schema' && state !== 'ok')) return;
          findings.push(...(await checkInvariants(database, configuration, job)));
        },
        { migrate: false },
      );
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code === 'job_not_found') throw error;
      findings.unshift({ check: 'database', state: 'problem', found: error.message, advice: error.hint });
    }
    findings.push(await checkBrowser(configuration));
    if (json) console.log(JSON.stringify(findings));
    else for (const finding of findings) printFinding(finding);
    if (findings.some(({ state }) => state === 'problem')) process.exitCode = exitCodes.failure;
  });

function printFinding({ check, state, found, advice }: Finding): void {
  console.log(forTerminal(`${marks[state]}  ${check.padEnd(12)} ${found}`));
  if (advice) console.log(forTerminal(`${' '.repeat(19)}→ ${asCalled(advice)}`));
}
