import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AppSiteTask } from './app-site-program.ts';

export interface AppSite {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startAppSite(task: AppSiteTask): Promise<AppSite> {
  const child = fork(new URL('./app-site-program.ts', import.meta.url), [JSON.stringify(task)]);
  const [port] = (await once(child, 'message')) as [number];
  const stop = async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}
