import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { ReadinessCheck } from '../../ops/metrics/readiness.ts';
import { serveMetrics } from '../../ops/metrics/serve-metrics.ts';
import { withSupervisor } from '../with-supervisor.ts';

export const workerCommand = new Command('worker')
  .description('run jobs on this machine; any number of workers share one database')
  .option('--worker-id <name>', `${settings.workerId.description} [${settings.workerId.env}]`)
  .option(
    '--max-concurrent-jobs <number>',
    `${settings.maxConcurrentJobs.description} [${settings.maxConcurrentJobs.env}]`,
  )
  .action((_options, command: Command) =>
    withSupervisor(command, 'metricsPort', async ({ configuration, database, log, workerId, supervisor }) => {
      const metrics =
        configuration.metricsPort > 0
          ? await serveMetrics(configuration, new ReadinessCheck(database.pool, log))
          : undefined;
      await supervisor.start();
      log.info({ worker: workerId }, `Worker ${workerId} is ready: ${database.describe}`);
      if (metrics) log.info(`Metrics: ${metrics.address}/metrics`);
      return async () => metrics?.close();
    }),
  );
