import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, scaled } from '../fault.ts';
import { PrivateServer } from '../postgres/private-server.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

export const failover: Fault = {
  id: 'F17',
  title: 'the primary is killed and its standby promoted (synchronous replication, both in DATABASE_URL)',
  run: async (run) => {
    const primary = await PrivateServer.create();
    let standby: PrivateServer | undefined;
    try {
      // There is no pg_basebackup among the embedded programs: a cold copy of the folder does as well.
      await primary.stop('fast');
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
      chmodSync(folder, 0o755);
      execFileSync('cp', ['-a', join(primary.folder, 'cluster'), join(folder, 'cluster')]);
      execFileSync('rm', ['-f', join(folder, 'cluster', 'port')]);
      await primary.start();
      standby = await PrivateServer.in(folder, { hot_standby: 'on' }, async (data) => {
        const source = new URL(primary.urlOf('postgres'));
        const conninfo = `host=127.0.0.1 port=${source.port} user=${source.username} password=${source.password} application_name=standby`;
        appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
        writeFileSync(join(data, 'standby.signal'), '');
      });
      await primary.administer(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
      await primary.administer('SELECT pg_reload_conf()');
      return await play({ primary, standby });
    } finally {
      await standby?.remove();
      await primary.remove();
    }

    async function play(servers: { primary: PrivateServer; standby: PrivateServer }) {
      const stageRun = { ...run, server: servers.primary };
      return await withStage(
        stageRun,
        { workers: 2, jobsPerWorker: 2, standby: servers.standby },
        async (stage) => {
          await until('synchronous replication', async () => {
            const { rows } = await stage.pool.query(
              `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`,
            );
            return rows.length === 1;
          });
          await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
          const after = stage.requests + 300;
          await until('more requests', () => stage.requests > after);
          const seen = await stage.pool.query<{ key: string }>(
            `SELECT job_id || ' ' || url_hash AS key FROM crawl_pages`,
          );
          servers.primary.kill();
          const killedAt = performance.now();
          await servers.standby.promote();
          const promoted = performance.now() - killedAt;
          // From here on the harness looks at the new primary too.
          await stage.follow(servers.standby);
          const requests = stage.requests;
          await until('work after the failover', () => stage.requests > requests + 20, { seconds: 60 });
          const followed = performance.now() - killedAt;
          const kept = await stage.pool.query<{ key: string }>(
            `SELECT job_id || ' ' || url_hash AS key FROM crawl_pages`,
          );
          const there = new Set(kept.rows.map(({ key }) => key));
          const lostPages = seen.rows.filter(({ key }) => !there.has(key)).length;
          if (lostPages > 0) run.blame(`${lostPages} committed pages are lost`);
          await stage.crawls.finish();
          return {
            committed_before: seen.rows.length,
            committed_lost: lostPages,
            promoted_ms: Math.round(promoted),
            working_again_ms: Math.round(followed),
            ...(await judgeCrawls(stage)),
          };
        },
      );
    }
  },
};
