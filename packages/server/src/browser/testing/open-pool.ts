import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { chromium } from 'playwright-core';
import type { ResolveHost } from '../../web/fetch/connection.ts';
import { BrowserPool, type BrowserPoolOptions } from '../browser-pool.ts';
import { findBrowser } from '../find-browser.ts';
import { GuardProxy } from '../guard-proxy.ts';
import type { RenderOptions, RenderRequest } from '../render-request.ts';

/** Undefined if there is no usable browser: tests that need one are then skipped with a message. */
export async function browserForTests(): Promise<string | undefined> {
  const found = await findBrowser({ configured: process.env.HOLDFAST_BROWSER });
  if (found.path === undefined)
    console.warn(`Skipped: tests that render pages need a browser. ${found.hint}`);
  return found.path;
}

export interface TestPool {
  readonly pool: BrowserPool;
  readonly pids: Set<number>;
  close(): Promise<void>;
}

export async function openTestPool(
  program: string,
  allowOrigins: readonly string[],
  options: Partial<BrowserPoolOptions> = {},
  resolve?: ResolveHost,
): Promise<TestPool> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-browser-'));
  const proxy = await GuardProxy.start({ allowOrigins, resolve });
  const pids = new Set<number>();
  const pool = new BrowserPool({
    program,
    folder,
    chromium,
    proxy,
    log: pino({ level: 'silent' }),
    browsers: 1,
    pagesAtOnce: 4,
    maxPages: 200,
    maxMinutes: 20,
    maxMemoryBytes: 2 ** 30,
    idleMs: 60_000,
    onStarted: (pid) => pids.add(pid),
    onEnded: (pid) => pids.delete(pid),
    ...options,
  });
  const close = async () => {
    await pool.close();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { pool, pids, close };
}

export function renderRequest(
  url: string,
  html: string,
  options: Partial<RenderOptions> = {},
  headers: Record<string, string> = {},
): RenderRequest {
  return {
    url,
    response: {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
      body: Buffer.from(html),
    },
    userAgent: 'Holdfast/test',
    options: { timeoutMs: 20_000, maxBytes: 10_000_000, maxRequests: 200, ...options },
  };
}
