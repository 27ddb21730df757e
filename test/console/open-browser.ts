import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const installed = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The one in CHROMIUM_PATH, else the system's, else the one that came with the packages. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await browserPath(),
    // Tests run as any user, root among them, and in containers with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
  });
}

/** Unpacks the one that came with the packages, if it has to. Not for two at once: the second would take half a file for the whole. */
export async function browserPath(): Promise<string> {
  const path = installed.find((one) => existsSync(one));
  if (path) return path;
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}
