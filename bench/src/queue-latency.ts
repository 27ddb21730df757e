import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { enqueueAndWake } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from './bench-server.ts';
import { payload } from './contenders/contender.ts';
import type { Outcome } from './main.ts';
import { printTable } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { percentile, round } from './statistics.ts';

const samples = 300;
const warmUps = 30;
const floor = 5;
const goal = 3;

export const pingChannel = 'bench_ping';
export const pongChannel = 'bench_pong';

export async function measure(server: BenchServer): Promise<Outcome> {
  return server.withDatabase('bench_latency', async (url) => {
    const database = await openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog);
    const pinger = new pg.Client(url);
    await pinger.connect();
    await pinger.query(`LISTEN ${pongChannel}`);
    const worker = fork(new URL('./latency-worker.ts', import.meta.url), [url], { execArgv: [] });
    await once(worker, 'message');
    try {
      const notifier = new Notifier(database.pool);
      const starts: number[] = [];
      const oneWays: number[] = [];
      const roundTrips: number[] = [];
      for (let sample = -warmUps; sample < samples; sample++) {
        const started = await timeStart(worker, async () => {
          await enqueueAndWake({ pool: database.pool, notifier }, [
            { kind: 'visit', payload: payload(sample) },
          ]);
        });
        await idle();
        const { oneWay, roundTrip } = await timePing(worker, pinger);
        await idle();
        if (sample < 0) continue;
        starts.push(started);
        oneWays.push(oneWay);
        roundTrips.push(roundTrip);
      }
      return report({ starts, oneWays, roundTrips });
    } finally {
      worker.disconnect();
      await pinger.end();
      await database.close();
    }
  });
}

/** Long enough for the worker and the notifier to have come to rest, and never in step with a timer. */
function idle(): Promise<void> {
  return delay(40 + Math.random() * 40);
}

/** The processes share the monotonic clock, so that no way back is in the figure. */
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

async function timeStart(worker: ChildProcess, enqueue: () => Promise<void>): Promise<number> {
  const messages = takeMessages(worker, 2);
  const before = nowMs();
  await enqueue();
  // The second says that the job's completion is committed, and so that the worker is idle again.
  const [started] = await messages;
  return Number(started) - before;
}

async function timePing(worker: ChildProcess, pinger: pg.Client) {
  const messages = takeMessages(worker, 1);
  const back = once(pinger, 'notification').then(nowMs);
  const before = nowMs();
  await pinger.query(`NOTIFY ${pingChannel}`);
  const roundTrip = (await back) - before;
  const [heard] = await messages;
  return { oneWay: Number(heard) - before, roundTrip };
}

async function takeMessages(worker: ChildProcess, count: number): Promise<unknown[]> {
  const messages: unknown[] = [];
  const all = Promise.withResolvers<unknown[]>();
  const take = (message: unknown) => {
    messages.push(message);
    if (messages.length === count) all.resolve(messages);
  };
  const fail = () => all.reject(new Error('the worker is gone'));
  worker.on('message', take).once('exit', fail);
  try {
    return await all.promise;
  } finally {
    worker.off('message', take).off('exit', fail);
  }
}

function report(measured: Record<'starts' | 'oneWays' | 'roundTrips', number[]>): Outcome {
  const summary = (all: number[]) => ({
    p50_ms: round(percentile(all, 0.5)),
    p95_ms: round(percentile(all, 0.95)),
    p99_ms: round(percentile(all, 0.99)),
  });
  const start = summary(measured.starts);
  const oneWay = summary(measured.oneWays);
  const roundTrip = summary(measured.roundTrips);
  const times = round(start.p50_ms / roundTrip.p50_ms);
  const row = (name: string, all: typeof start) => [name, `${all.p50_ms}`, `${all.p95_ms}`, `${all.p99_ms}`];
  const table = printTable(
    ['', 'p50 ms', 'p95 ms', 'p99 ms', 'p50 ratio'],
    [
      [...row('enqueue to start', start), ''],
      [...row('bare NOTIFY, round trip', roundTrip), `${times} ×`],
      [...row('bare NOTIFY, one way', oneWay), `${round(start.p50_ms / oneWay.p50_ms)} ×`],
    ],
  );
  return {
    table,
    pass: times <= floor,
    figures: {
      start,
      round_trip: roundTrip,
      one_way: oneWay,
      times,
      floor,
      goal,
      goal_reached: times <= goal,
    },
  };
}
