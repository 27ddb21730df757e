import { exitCodes, settings } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled, version } from '../base/process/installation.ts';
import { suggestFlag } from './check-flags.ts';
import { forTerminal } from './terminal-text.ts';

const examples = `
Start here:
  holdfast crawl https://example.com                crawl a site into a file; run it again to continue
  holdfast demo                                     watch a crawl survive a crash, on this machine
  holdfast up                                       run everything on this machine
  holdfast jobs create crawl https://example.com    create a job
  holdfast jobs list --status failed                list what failed
  holdfast jobs show ID                             show a job, its timeline, and what you can do
  holdfast policies create crawl URL                crawl a site on a schedule (--frequency 7d)
  holdfast keys create --name me --role admin       create a key for the HTTP API
  holdfast doctor                                   check the installation, with advice

Settings come from flags or the environment (docs/configuration.md). Without DATABASE_URL, an embedded PostgreSQL
runs in .holdfast. Exit codes: ${Object.entries(exitCodes)
  .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
  .join(', ')}.`;

/** Loaded on demand: `holdfast jobs list` must not wait for a web server to load. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  crawl: async () => (await import('./crawl/crawl-command.ts')).crawlCommand,
  demo: async () => (await import('./demo/demo-command.ts')).demoCommand,
  up: async () => (await import('./commands/up-command.ts')).upCommand,
  worker: async () => (await import('./commands/worker-command.ts')).workerCommand,
  api: async () => (await import('./commands/api-command.ts')).apiCommand,
  jobs: async () => (await import('./jobs/jobs-command.ts')).jobsCommand,
  pages: async () => (await import('./pages/pages-command.ts')).pagesCommand,
  export: async () => (await import('./commands/export-command.ts')).exportCommand,
  profiles: async () => (await import('./profiles/profiles-command.ts')).profilesCommand,
  secrets: async () => (await import('./commands/secrets-command.ts')).secretsCommand,
  policies: async () => (await import('./policies/policies-command.ts')).policiesCommand,
  bots: async () => (await import('./commands/bots-command.ts')).botsCommand,
  results: async () => (await import('./commands/results-command.ts')).resultsCommand,
  sources: async () => (await import('./sources/sources-command.ts')).sourcesCommand,
  proxies: async () => (await import('./proxies/proxies-command.ts')).proxiesCommand,
  intakes: async () => (await import('./intakes/intakes-command.ts')).intakesCommand,
  webhooks: async () => (await import('./webhooks/webhooks-command.ts')).webhooksCommand,
  workers: async () => (await import('./commands/workers-command.ts')).workersCommand,
  identity: async () => (await import('./commands/identity-command.ts')).identityCommand,
  keys: async () => (await import('./commands/keys-command.ts')).keysCommand,
  'create-jobs-from-policies': async () =>
    (await import('./commands/maintenance-commands.ts')).createJobsFromPoliciesCommand,
  'expire-locks': async () => (await import('./commands/maintenance-commands.ts')).expireLocksCommand,
  sql: async () => (await import('./sql/sql-command.ts')).sqlCommand,
  extract: async () => (await import('./commands/extract-command.ts')).extractCommand,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  migrate: async () => (await import('./commands/migrate-command.ts')).migrateCommand,
};

/** With the commands that the words name; with all of them for help and unknown words. `--version` needs none. */
export async function createProgram(words: readonly string[] = []): Promise<Command> {
  const program = new Command('holdfast')
    .description('A durable web-crawl platform on PostgreSQL: no page lost, none stored twice.')
    .version(version, '-V, --version', 'print the version')
    .option('--database-url <url>', describe('databaseUrl'))
    .option('--data-folder <folder>', describe('dataFolder'))
    .helpOption('-h, --help', 'show help; `holdfast COMMAND --help` for a command')
    .helpCommand(false)
    .addHelpText('after', examples);
  const named = Object.keys(commands).filter(
    (name) => words.includes(name) || words.includes(asDjango(name)),
  );
  const needsAll = named.length === 0 && !['-V', '--version'].includes(words[0] ?? '');
  for (const name of needsAll ? Object.keys(commands) : named) {
    const command = await commands[name]?.();
    if (command) program.addCommand(command);
  }
  for (const command of allCommands(program)) {
    command
      .showHelpAfterError('(--help lists commands and options)')
      .configureHelp({ subcommandTerm: (each) => each.name() })
      .configureOutput({
        writeOut: (text) => process.stdout.write(forTerminal(asCalled(text))),
        writeErr: (text) => process.stderr.write(forTerminal(asCalled(text), process.stderr)),
        outputError: (text, write) => write(suggestFlag(text.replace(/^error: /, 'holdfast: '), command)),
      })
      .exitOverride((error) => process.exit(error.exitCode === 0 ? exitCodes.ok : exitCodes.badInput));
  }
  return program;
}

/** The spelling of document 004: `manage.py create_jobs_from_policies`. */
function asDjango(name: string): string {
  return name.replaceAll('-', '_');
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function describe(name: 'databaseUrl' | 'dataFolder'): string {
  return `${settings[name].description} [${settings[name].env}]`;
}
