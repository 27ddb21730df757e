import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, errors, HoldfastError } from '@holdfast/contract';
import { browserAccount } from '../../browser/browser-account.ts';
import { BrowserProcess } from '../../browser/browser-process.ts';
import { browserReadiness } from '../../browser/browser-readiness.ts';
import { findBrowser } from '../../browser/find-browser.ts';
import type { Finding } from './finding.ts';

const check = 'browser';
const withoutOne = 'pages that need JavaScript are stored as the server sent them (render: auto means never)';

/** Starts the browser that workers here would start, with its sandbox, and ends it. */
export async function checkBrowser(configuration: Pick<Configuration, 'browser'>): Promise<Finding> {
  const readiness = browserReadiness(configuration);
  if ('problem' in readiness)
    return {
      check,
      state: 'warning',
      found: `${readiness.problem}; ${withoutOne}`,
      advice: readiness.advice,
    };
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-doctor-browser-'));
  try {
    const found = await findBrowser({ configured: configuration.browser });
    if (found.path === undefined) throw new HoldfastError('browser_unavailable', 'there is none');
    const { chromium } = await import('playwright-core');
    const browser = await BrowserProcess.start({ program: found.path, folder, chromium }, 1);
    const version = browser.browser.version();
    await browser.close();
    const as = accountName(found.path);
    return {
      check,
      state: 'ok',
      found: `Chromium ${version} starts with its sandbox${as}: ${found.path}${origin(found.from)}`,
    };
  } catch (error) {
    const { detail, hint } =
      error instanceof HoldfastError
        ? error
        : new HoldfastError('browser_unavailable', (error as Error).message);
    const advice =
      hint === errors.browser_unavailable.hint
        ? 'Correct it, name another browser with HOLDFAST_BROWSER, or use render: never. See docs/guides/render-pages.md.'
        : hint;
    return {
      check,
      state: 'warning',
      found: `${readiness.browser} does not start: ${detail}; ${withoutOne}`,
      advice,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function accountName(program: string): string {
  const account = browserAccount(program);
  return 'uid' in account && account.uid !== undefined ? ', as nobody instead of root' : '';
}

function origin(from: 'HOLDFAST_BROWSER' | 'system' | '@sparticuz/chromium'): string {
  return from === 'system' ? ' (found in PATH)' : ` (from ${from})`;
}
