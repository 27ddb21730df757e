import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import { calledAs } from '../../base/process/installation.ts';
import { openDisplay } from '../crawl/crawl-display.ts';
import { readCrawlRequest } from '../crawl/crawl-request.ts';
import { crawlToFile } from '../crawl/crawl-to-file.ts';
import { outcomeTable } from '../crawl/outcome-table.ts';
import { allowPrivate } from '../crawl/private-origins.ts';
import { paintFor } from '../terminal-text.ts';
import { configurationOf, type Session, withDatabase } from '../with-database.ts';
import { claimsOf, evidenceText, examineCrawl } from './evidence.ts';
import { CrashDisplay, RunnerWatch } from './kill-runner.ts';
import { SampleSite } from './sample-site.ts';

export const demoCommand = new Command('demo')
  .description('crawl a sample site on this machine, kill the crawler, and see that nothing is lost')
  .addHelpText(
    'after',
    `
Needs no network and takes about ten seconds. The command serves the site itself and crawls it as \`holdfast crawl\` does.
It uses a temporary database, which is removed at the end. With DATABASE_URL, HOLDFAST_DATA or their flags it uses that
database, and the job stays there.`,
  )
  .action(async (_options, command: Command) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    const site = new SampleSite();
    try {
      await chmod(folder, 0o755); // the embedded server may run under another account
      const { databaseUrl } = configurationOf(command);
      const isGiven = databaseUrl || process.env.HOLDFAST_DATA || command.optsWithGlobals().dataFolder;
      if (!isGiven) process.env.HOLDFAST_DATA = join(folder, 'data');
      process.env.HOLDFAST_LOG_LEVEL ||= 'error';
      await site.start();
      allowPrivate([site.origin], []);
      process.stderr.write(
        `Serving a sample site of about 200 pages at ${site.origin}, on this machine only.\n`,
      );
      if (!isGiven) process.stderr.write('Starting a temporary PostgreSQL, which is removed at the end …\n');
      const file = join(folder, 'pages.jsonl');
      await withDatabase(command, (session) => demonstrate(session, site, file), { isTemporary: !isGiven });
    } finally {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

async function demonstrate(session: Session, site: SampleSite, file: string): Promise<void> {
  const request = readCrawlRequest([`${site.origin}/`], {
    out: file,
    attempts: 2,
    discover: true,
    markdown: true,
  });
  const runner = new RunnerWatch();
  const display = new CrashDisplay(openDisplay({ quiet: false }), site, runner);
  const crawl = await crawlToFile({ ...session, log: runner.log }, request, {
    display,
    recrawl: true,
    overwrite: true,
  });
  const { stdout } = process;
  const paint = paintFor(stdout);
  stdout.write(`\n${outcomeTable(crawl.rows, paint)}\n\n`);
  if (crawl.signal) throw new HoldfastError('run_failed', 'the demo was interrupted');
  const evidence = await examineCrawl(session.database.pool, crawl.view.id, site, display.kill, file);
  const claims = claimsOf(evidence);
  stdout.write(
    `${paint('bold', 'What the site, the database and the file say')}\n\n${evidenceText(claims, paint)}\n\n`,
  );
  if (crawl.view.status === 'completed' && display.kill && claims.every(({ holds }) => holds !== false)) {
    stdout.write(
      `${paint('green', 'Killed in the middle, and nothing was lost.')} Try your own site: ${calledAs()} crawl https://example.com\n`,
    );
    return;
  }
  stdout.write(`${paint('red', 'Something went wrong.')} Please report it with the output above.\n`);
  process.exitCode = exitCodes.failure;
}
