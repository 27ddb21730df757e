import { exitCodes, settings } from '@holdfast/contract';
import { Command } from 'commander';
import { version } from '../version.ts';
import { apiCommand } from './api-command.ts';
import { botsCommand } from './bots-command.ts';
import { asCalled } from './called-as.ts';
import { crawlCommand } from './crawl-command.ts';
import { createJobsFromPoliciesCommand } from './create-jobs-from-policies-command.ts';
import { demoCommand } from './demo-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { expireLocksCommand } from './expire-locks-command.ts';
import { exportCommand } from './export-command.ts';
import { jobsCommand } from './jobs-command.ts';
import { keysCommand } from './keys-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { pagesCommand } from './pages-command.ts';
import { policiesCommand } from './policies-command.ts';
import { resultsCommand } from './results-command.ts';
import { sourcesCommand } from './sources-command.ts';
import { upCommand } from './up-command.ts';
import { workerCommand } from './worker-command.ts';
import { workersCommand } from './workers-command.ts';

const examples = `
Start here:
  holdfast crawl https://example.com                crawl a site into a file; run it again to go on
  holdfast demo                                     see a crawl survive a crash, on this machine
  holdfast up                                       run everything on this machine and print its address
  holdfast jobs create crawl https://example.com    add a job
  holdfast jobs list --status failed                see what went wrong
  holdfast jobs show ID                             one job, its timeline, and what can be done to it
  holdfast policies create crawl URL                run a crawl again and again (--frequency 7d)
  holdfast keys create --name me --role admin       make a key for the HTTP API
  holdfast doctor                                   check the database, and hear what to do

Settings come from flags or the environment (docs/configuration.md). Without DATABASE_URL, an embedded PostgreSQL
runs in .holdfast. Exit codes: ${Object.entries(exitCodes)
  .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
  .join(', ')}.`;

export const program = new Command('holdfast')
  .description('A durable web-crawl platform on PostgreSQL: no page lost, none stored twice.')
  .version(version, '-V, --version', 'print the version')
  .option('--database-url <url>', describe('databaseUrl'))
  .option('--data-folder <folder>', describe('dataFolder'))
  .helpOption('-h, --help', 'show help; `holdfast COMMAND --help` for a command')
  .helpCommand(false)
  .addHelpText('after', examples)
  .addCommand(crawlCommand)
  .addCommand(demoCommand)
  .addCommand(upCommand)
  .addCommand(workerCommand)
  .addCommand(apiCommand)
  .addCommand(jobsCommand)
  .addCommand(pagesCommand)
  .addCommand(exportCommand)
  .addCommand(policiesCommand)
  .addCommand(botsCommand)
  .addCommand(resultsCommand)
  .addCommand(sourcesCommand)
  .addCommand(workersCommand)
  .addCommand(keysCommand)
  .addCommand(createJobsFromPoliciesCommand)
  .addCommand(expireLocksCommand)
  .addCommand(doctorCommand)
  .addCommand(migrateCommand);

for (const command of allCommands(program)) {
  command
    .showHelpAfterError('(add --help to see what can be used)')
    .configureOutput({
      writeOut: (text) => process.stdout.write(asCalled(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'holdfast: ')),
    })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? exitCodes.ok : exitCodes.badInput));
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function describe(name: 'databaseUrl' | 'dataFolder'): string {
  return `${settings[name].description} [${settings[name].env}]`;
}
