import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, scaled } from '../fault.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

/** While there is a row in the table, each page takes a second to store. */
const slowness = `
CREATE TABLE chaos_slow (slow boolean);
CREATE FUNCTION chaos_sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM chaos_slow) THEN PERFORM pg_sleep(1); END IF; RETURN NEW;
END $$;
CREATE TRIGGER chaos_sleep BEFORE INSERT ON crawl_pages FOR EACH ROW EXECUTE FUNCTION chaos_sleep()`;

export const fullDisk: Fault = {
  id: 'F13',
  title: 'the disk of the tables is full; statements take longer than they may',
  run: async (run) => {
    const folder = join(run.server.folder, 'small');
    mkdirSync(folder);
    try {
      // Only a small file system of its own can be filled without harm to others; to make one, one has to be root.
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      return { skipped: 'this system does not let us mount a small file system' };
    }
    // Nobody can remove the server's folder while something is mounted in it.
    const unmount = () => execFileSync('umount', ['-l', folder]);
    process.prependOnceListener('exit', unmount);
    try {
      const { uid, gid } = statSync(run.server.dataFolder);
      chownSync(folder, uid, gid);
      await run.server.administer(`CREATE TABLESPACE chaos_small LOCATION '${folder}'`);
      return await withStage(
        run,
        { workers: 2, jobsPerWorker: 2, tablespace: 'chaos_small', wired: true },
        async (stage) => {
          await stage.pool.query(slowness);
          await stage.crawls.keep(4, { pages: scaled(run, 500, 300) });
          const after = stage.requests + 200;
          await until('more requests', () => stage.requests > after);
          const refused = await fill(stage, folder);
          await until('more requests', () => stage.requests > after + 400);
          const slow = await slowStatements(stage);
          await stage.crawls.finish();
          if (!refused.said) run.blame('no log line named the full disk');
          return { ...refused, ...slow, ...(await judgeCrawls(stage)) };
        },
      );
    } finally {
      await run.server.administer('DROP TABLESPACE IF EXISTS chaos_small').catch(() => undefined);
      process.off('exit', unmount);
      unmount();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Fills the disk for two leases. */
async function fill(
  stage: Stage,
  folder: string,
): Promise<{ full_seconds: number; checkpoints_refused: number; said: boolean }> {
  const filler = join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize + 1_000_000));
  } catch {
    // Full: that was the purpose.
  }
  const began = performance.now();
  await delay(2 * stage.run.timings.leaseSeconds * 1000);
  rmSync(filler);
  const lines = stage.workers
    .flatMap((worker) => worker.lines)
    .filter((line) => /No space left/.test(JSON.stringify(line)));
  const violations = await stage.crawls.violations();
  for (const violation of violations) stage.run.blame(`with a full disk: ${violation}`);
  return {
    full_seconds: Math.round((performance.now() - began) / 1000),
    checkpoints_refused: lines.length,
    said: lines.length > 0,
  };
}

/** For two leases, each page takes the database a second to store; statements may take two. */
async function slowStatements(stage: Stage): Promise<{ slow_seconds: number; statements_cancelled: number }> {
  const seconds = 2 * stage.run.timings.leaseSeconds;
  await stage.pool.query('INSERT INTO chaos_slow VALUES (true)');
  let cancelled = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const { rowCount } = await stage.pool.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
       AND query_start < now() - interval '2 s' AND application_name = 'holdfast runner'`,
    );
    cancelled += rowCount ?? 0;
    await delay(200);
  }
  await stage.pool.query('DELETE FROM chaos_slow');
  return { slow_seconds: seconds, statements_cancelled: cancelled };
}
