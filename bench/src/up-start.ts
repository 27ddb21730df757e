import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './main.ts';
import { printTable } from './print-table.ts';
import { spread } from './statistics.ts';

const repeats = 9;
const floor = 6;
const goal = 4;
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** From the start of a process to its first good answer. `up` starts its PostgreSQL as well: nothing of ours runs before it. */
export async function measure(): Promise<Outcome> {
  const data = mkdtempSync(join(tmpdir(), 'holdfast-bench-up-'));
  const up = () =>
    startedIn([path('../../packages/server/bin/holdfast.js'), 'up', '--port', '0'], '/health', {
      HOLDFAST_DATA: data,
      HOLDFAST_LOG_FORMAT: 'json',
    });
  const bare = () => startedIn([path('./site/bare-fastify.ts')], '/', {});
  const times: { up: number; bare: number }[] = [];
  try {
    await up(); // makes the database
    await bare();
    for (let repeat = 0; repeat < repeats; repeat++) {
      times.push(
        repeat % 2 === 0 ? { up: await up(), bare: await bare() } : { bare: await bare(), up: await up() },
      );
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  const ratio = spread(times.map(({ up, bare }) => up / bare));
  const milliseconds = {
    up: spread(
      times.map(({ up }) => up),
      0,
    ),
    empty_fastify: spread(
      times.map(({ bare }) => bare),
      0,
    ),
  };
  const table = printTable(
    ['', 'ms to first response', 'spread'],
    Object.entries(milliseconds).map(([name, { median, min, max }]) => [name, `${median}`, `${min}–${max}`]),
  );
  console.log(`  up takes ${ratio.median} × (${ratio.min}–${ratio.max}); floor ${floor}, goal ${goal}\n`);
  return {
    table,
    pass: ratio.median <= floor,
    figures: { milliseconds, up_is_times: ratio, floor, goal, goal_reached: ratio.median <= goal },
  };
}

async function startedIn(args: string[], route: string, env: Record<string, string>): Promise<number> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let text = '';
      const read = (chunk: unknown) => {
        text += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (found) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${text}`)));
    });
    while (!(await fetch(address + route).catch(() => undefined))?.ok) await sleep(2);
    return performance.now() - started;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
