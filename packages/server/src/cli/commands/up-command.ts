import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { startServer } from '../../api/start-server.ts';
import { calledAs } from '../../base/process/installation.ts';
import { logsJson } from '../../base/telemetry/logger.ts';
import { makeFirstKey } from '../../queue/access/keys.ts';
import { makeLoginLink } from '../../queue/access/sessions.ts';
import { allowPrivate } from '../crawl/private-origins.ts';
import { SampleSite, sampleSiteText } from '../demo/sample-site.ts';
import { addListenOptions, closeServer } from '../serve-http.ts';
import { withSupervisor } from '../with-supervisor.ts';

export const upCommand = addListenOptions(new Command('up'))
  .description('run everything on this machine: database, worker, watchdog, API and console')
  .addHelpText(
    'after',
    `
The address, the sign-in link and the first key are printed to standard output. The log goes to standard error: text on a
terminal, otherwise one JSON object per line (HOLDFAST_LOG_FORMAT).

A sample site, used by the guides, is served on the next port: http://127.0.0.1:7071 by default. If that port is taken, the
sample site uses another, and \`up\` prints it.`,
  )
  .action((_options, command: Command) =>
    withSupervisor(command, 'port', async ({ configuration, database, log, supervisor }) => {
      // From the clock, so that editions differ from those before a restart.
      const site = new SampleSite({ firstEdition: Math.floor(Date.now() / 1000) % 100_000, slowness: 0.1 });
      // The same port after a restart, so that a crawl of it continues. Only runners of this process may fetch its origin.
      const wantedPort =
        configuration.port === 0 || configuration.port === 65_535 ? 0 : configuration.port + 1;
      await site.start(wantedPort);
      allowPrivate([site.origin], configuration.allowPrivate);
      // The supervisor was configured before; it releases jobs that its runners may not fetch.
      configuration.allowPrivate.push(site.origin);
      const server = await startServer(configuration, database, log, { sampleSite: site.origin }).catch(
        async (error: unknown) => {
          await site.close();
          throw error;
        },
      );
      await supervisor.start();
      // For log collectors; on a terminal the address would appear twice.
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
      if (link)
        console.log(`Sign in to the console (once, within the hour):\n  ${address}/login#link=${link}`);
      if (firstKey) console.log(firstKeyText(firstKey.secret));
      return async () => {
        await closeServer(server, configuration);
        await site.close();
      };
    }),
  );

function firstKeyText(secret: string): string {
  return `
Your admin key for the API, shown only once:
  ${secret}
If you lose it, create another: ${calledAs()} keys create --name admin --role admin`;
}
