import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startNginx } from './nginx.ts';
import type { SiteTask } from './site-program.ts';

/** A site that is being served by a process of its own. */
export interface Site {
  readonly by: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The site of so many pages, by nginx where it is installed. */
export async function startReadySite(pages: number): Promise<Site> {
  const nginx = await startNginx(pages);
  if (nginx) return { by: 'nginx', port: nginx.port, stop: () => nginx.stop() };
  return await startSite({ kind: 'ready', pages, hosts: [{ address: '127.0.0.1', delayMs: 0 }] });
}

/** Pages by the bundled server. */
export async function startSite(task: SiteTask): Promise<Site> {
  const child = fork(new URL('./site-program.ts', import.meta.url), [JSON.stringify(task)]);
  const [port] = (await once(child, 'message')) as [number];
  const stop = async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  return { by: 'the bundled server', port, stop };
}
