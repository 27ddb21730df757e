import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CrawlResult, CrawlTask } from './crawler.ts';

export interface PeerResult extends CrawlResult {
  readonly peakMb: number;
  readonly cpuSeconds: number;
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** One crawl by one of the modules here, in a process of its own. */
export async function runPeer(module: string, task: CrawlTask): Promise<PeerResult> {
  const child = fork(path('./run-crawler.ts'), [path(module), JSON.stringify(task)], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let result: PeerResult | undefined;
  child.once('message', (message) => {
    result = message as PeerResult;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 || !result) throw new Error(`${module} ended with code ${code}`);
  return result;
}

/** The Python that has Scrapy: Debian's package belongs to Debian's own. */
export function findScrapy(): { python: string; version: string } | undefined {
  for (const python of ['python3', '/usr/bin/python3']) {
    const { status, stdout } = spawnSync(python, ['-c', 'import scrapy; print(scrapy.__version__)']);
    if (status === 0) return { python, version: stdout.toString().trim() };
  }
  return undefined;
}

export async function runScrapy(python: string, task: CrawlTask): Promise<PeerResult> {
  const child = spawn(python, [path('./scrapy_crawl.py'), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`scrapy ended with code ${code}`);
  return JSON.parse(output) as PeerResult;
}
