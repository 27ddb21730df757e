import { exitCodes, HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import { examine, type Finding } from '../doctor/examine.ts';
import { asCalled } from './called-as.ts';
import { configurationOf, withDatabase } from './with-database.ts';

const marks = { ok: 'ok  ', warning: 'warn', problem: 'FAIL' } as const;

export const doctorCommand = new Command('doctor')
  .description('check the database, its version, clock, locks and bloat, and say what to do')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: true }, command: Command) => {
    const findings: Finding[] = [];
    configurationOf(command);
    try {
      await withDatabase(
        command,
        async ({ database, configuration }) => {
          findings.push(...(await examine(database, configuration)));
        },
        { migrate: false },
      );
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      findings.unshift({ check: 'database', state: 'problem', found: error.message, advice: error.hint });
    }
    if (json) console.log(JSON.stringify(findings));
    else for (const finding of findings) printFinding(finding);
    if (findings.some(({ state }) => state === 'problem')) process.exitCode = exitCodes.failure;
  });

function printFinding({ check, state, found, advice }: Finding): void {
  console.log(`${marks[state]}  ${check.padEnd(12)} ${found}`);
  if (advice) console.log(`${' '.repeat(19)}→ ${asCalled(advice)}`);
}
