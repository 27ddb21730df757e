import { readConfiguration } from '@holdfast/contract';
import { createPool } from '../../base/database/create-pool.ts';
import { createLogger } from '../../base/telemetry/logger.ts';
import { type MetricEvents, subscribe } from '../../base/telemetry/metrics-channel.ts';
import { RenderClient } from '../../browser/render-client.ts';
import { browserSocketVariable } from '../../browser/render-messages.ts';
import type { FromRunner } from './messages.ts';

/** A runner is gone within 5 s of its supervisor; a busy machine may need one of them to end a process. */
export const orphanMs = 4_000;

/** What every runner has: configuration, log, one database connection, and the channel to its supervisor. */
export async function openRunner() {
  const configuration = readConfiguration(process.env);
  const log = await createLogger(configuration);
  const pool = createPool({ connectionString: configuration.databaseUrl }, log, { name: 'runner', max: 1 });

  // Ctrl-C in a terminal reaches the whole process group; the supervisor decides what it means.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});

  const send = (message: FromRunner) => {
    if (process.connected) process.send?.(message, () => undefined);
  };
  /** Sent with the next tick: a message for each would cost as much as half a page (ADR 32). */
  let checkpoints: MetricEvents['checkpoint'][] = [];
  subscribe('checkpoint', (saved) => checkpoints.push(saved));

  let hasAsked = false;
  /** From now on, its death is not blamed on the machine. */
  const onRequest = () => {
    if (hasAsked) return;
    hasAsked = true;
    send({ type: 'asking' });
  };

  const tick = () => {
    send({ type: 'tick', rssBytes: process.memoryUsage.rss(), checkpoints });
    checkpoints = [];
  };
  const socket = process.env[browserSocketVariable];
  const renderer = socket
    ? new RenderClient({ socket, need: () => send({ type: 'needBrowser' }) })
    : undefined;
  return { configuration, log, pool, send, tick, onRequest, renderer };
}
