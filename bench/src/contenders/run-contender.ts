import pg from 'pg';
import type { ContenderModule, Setting } from './contender.ts';

/** One repeat of one contender, which has this process to itself: warm-up, then the timed jobs, then the count. */
export interface Task {
  readonly file: string;
  readonly url: string;
  readonly setting: Setting;
  readonly warmUp: number;
  readonly jobs: number;
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const { open } = (await import(task.file)) as ContenderModule;
const contender = await open(task.url, task.setting);
await contender.fill(task.warmUp);
await contender.drain(task.warmUp);
await contender.fill(task.jobs);
await settle(task.url);
const ms = await contender.drain(task.jobs);
await contender.verify(task.warmUp + task.jobs);
await contender.close();
process.send?.(ms);
process.disconnect?.();

/** The same starting point for all: nothing left over for a checkpoint, autovacuum or the garbage collector to do. */
async function settle(url: string): Promise<void> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    await client.end();
  }
  gc?.();
}
