import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { calledAs } from '../base/process/installation.ts';
import { logsJson } from '../base/telemetry/logger.ts';
import { startServer } from '../../api/start-server.ts';
import { calledAs } from '../../base/process/called-as.ts';
import { logsJson } from '../../base/telemetry/create-logger.ts';
import { makeFirstKey } from '../../queue/access/keys.ts';
import { makeLoginLink } from '../../queue/access/sessions.ts';
import { closeServer } from '../close-server.ts';
import { allowPrivate } from '../crawl/private-origins.ts';
import { SampleSite } from '../demo/sample-site.ts';
import { sampleSiteText } from '../demo/sample-site-text.ts';
import { addListenOptions } from '../serve-http.ts';
import { withSupervisor } from '../with-supervisor.ts';

export const upCommand = addListenOptions(new Command('up'))
  .description('run Holdfast on this machine: database, worker, watchdog, API and web page in one')
  .addHelpText(
    'after',
    `
What you need to know (the address, the link to sign in, the first key) is printed to standard output. The log goes to
standard error: as text on a terminal, else one JSON object a line (HOLDFAST_LOG_FORMAT).

A sample site to try things on, which the guides use, answers on the next port: http://127.0.0.1:7071, or another if you
choose the port. If that one is taken, it answers elsewhere, and \`up\` says where.`,
  )
  .action((_options, command: Command) =>
    withSupervisor(command, 'port', async ({ configuration, database, log, supervisor }) => {
      // By the clock, so that it differs from the editions before a restart.
      const site = new SampleSite({ firstEdition: Math.floor(Date.now() / 1000) % 100_000, slowness: 0.1 });
      // The same one after a restart, so that a crawl of it goes on. Its runners alone may fetch it, by its origin.
      const wantedPort =
        configuration.port === 0 || configuration.port === 65_535 ? 0 : configuration.port + 1;
      await site.start(wantedPort);
      allowPrivate([site.origin], configuration.allowPrivate);
      // The supervisor, which was configured before, hands back what its runners may not fetch.
      configuration.allowPrivate.push(site.origin);
      const server = await startServer(configuration, database, log, { sampleSite: site.origin }).catch(
        async (error: unknown) => {
          await site.close();
          throw error;
        },
      );
      await supervisor.start();
      // Whoever collects logs finds the address there too; on a terminal it would stand there twice.
      if (logsJson(configuration))
        log.info(
          { address: server.address, publicUrl: configuration.publicUrl, sampleSite: site.origin },
          'Holdfast is up',
        );
      const address = configuration.publicUrl ?? server.address;
      const listening = address === server.address ? '' : `  listening on ${server.address}\n`;
      const firstKey = await makeFirstKey(database.pool);
      const link = await makeLoginLink(database.pool);
      console.log(
        `Holdfast is up: ${address}\n${listening}  ${database.describe}\n  ${sampleSiteText(site.origin, wantedPort)}\n  Ctrl-C stops it; nothing is lost.`,
      );
      if (configuration.keyless === 'loopback')
        console.log(`  ${settings.keyless.env}=loopback: programs on this machine need no key`);
      if (link) console.log(`Sign in to the console, once within the hour:\n  ${address}/login#link=${link}`);
      if (firstKey) console.log(firstKeyText(firstKey.secret));
      return async () => {
        await closeServer(server, configuration);
        await site.close();
      };
    }),
  );

function firstKeyText(secret: string): string {
  return `
Your admin key for the API, shown this once:
  ${secret}
If you lose it, make another: ${calledAs()} keys create --name admin --role admin`;
}
