import { readConfiguration } from '@holdfast/contract';
import { createPool } from '../../base/database/create-pool.ts';
import { createLogger } from '../../base/telemetry/logger.ts';
import { type MetricEvents, subscribe } from '../../base/telemetry/metrics-channel.ts';
import type { FromRunner } from './messages.ts';

/** It is gone within 5 s of its supervisor; a busy machine may need one of them to end a process. */
export const orphanMs = 4_000;

/** What every runner has: its configuration, its log, its one connection, and its line to the supervisor. */
export async function openRunner() {
  const configuration = readConfiguration(process.env);
  const log = await createLogger(configuration);
  const pool = createPool({ connectionString: configuration.databaseUrl }, log, { name: 'runner', max: 1 });

  // The terminal's Ctrl-C reaches the whole group; the supervisor decides what it means.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});

  const send = (message: FromRunner) => {
    if (process.connected) process.send?.(message, () => undefined);
  };
  /** Since the last tick: a message for each of them took 0.5 ms, as long as half a page. */
  let checkpoints: MetricEvents['checkpoint'][] = [];
  subscribe('checkpoint', (saved) => checkpoints.push(saved));

  let hasAsked = false;
  /** From now on, its death is not blamed on the machine that it runs on. */
  const onRequest = () => {
    if (hasAsked) return;
    hasAsked = true;
    send({ type: 'asking' });
  };

  const tick = () => {
    send({ type: 'tick', rssBytes: process.memoryUsage.rss(), checkpoints });
    checkpoints = [];
  };
  return { configuration, log, pool, send, tick, onRequest };
}
