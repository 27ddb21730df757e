import { lookup } from 'node:dns';
import { gzipSync } from 'node:zlib';
import { Agent, interceptors, request } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startSite } from './testing/local-site.ts';

/**
 * What undici does by itself, and why this folder does not lean on it. When one of these fails after an upgrade, the
 * trap is gone and something here may be simpler.
 */
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const agentOf = (options: Agent.Options) => {
  const agent = new Agent(options);
  closers.push(() => agent.destroy());
  return agent;
};

describe('undici on its own', () => {
  test('asks its lookup hook about names, and never about addresses', async () => {
    const site = await startSite((_, response) => response.end());
    closers.push(site.close);
    const hook = vi.fn(lookup) as unknown as typeof lookup;
    const dispatcher = agentOf({ connect: { lookup: hook } });
    await (await request(site.origin, { dispatcher })).body.dump();
    expect(hook).not.toHaveBeenCalled();
  });

  test('lets more inflated bytes through than maxResponseSize', async () => {
    const site = await startSite((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(20_000_000)));
    });
    closers.push(site.close);
    const dispatcher = agentOf({ maxResponseSize: 1_000_000 }).compose(interceptors.decompress());
    const { body } = await request(site.origin, { dispatcher });
    expect((await body.arrayBuffer()).byteLength).toBe(20_000_000);
  });

  test('lets a trickle outlive its bodyTimeout', async () => {
    // Its fast timers tick twice a second: a byte every 100 ms, for three times the timeout.
    const site = await startSite((_, response) => {
      let left = 30;
      const timer = setInterval(() => {
        response.write('.');
        if (--left > 0) return;
        clearInterval(timer);
        response.end();
      }, 100);
    });
    closers.push(site.close);
    const { body } = await request(site.origin, { dispatcher: agentOf({ bodyTimeout: 1000 }) });
    expect(await body.text()).toHaveLength(30);
  });
});
