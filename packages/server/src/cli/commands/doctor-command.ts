import { exitCodes, HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { asCalled } from '../../base/process/called-as.ts';
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

const checks = `
It checks that the database answers, its version, clock and durability, its connections, locks and dead rows, and whether leases are
overdue, a worker is alive and webhooks get through. It exits with 1 if something is wrong.`;

export const doctorCommand = new Command('doctor')
  .description('check the database, the workers and the webhooks, and say what to do')
  .option(
    '--invariants',
    'hold the newest jobs and crawls to what must be true of them at any moment; reads only',
  )
  .option('--job <id>', 'with --invariants: this job alone, however large its crawl')
  .option('--json', 'print JSON')
  .addHelpText('after', checks)
  .action(async ({ json, invariants, job }: Options, command: Command) => {
    const findings: Finding[] = [];
    configurationOf(command);
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
    if (json) console.log(JSON.stringify(findings));
    else for (const finding of findings) printFinding(finding);
    if (findings.some(({ state }) => state === 'problem')) process.exitCode = exitCodes.failure;
  });

function printFinding({ check, state, found, advice }: Finding): void {
  console.log(forTerminal(`${marks[state]}  ${check.padEnd(12)} ${found}`));
  if (advice) console.log(forTerminal(`${' '.repeat(19)}→ ${asCalled(advice)}`));
}
