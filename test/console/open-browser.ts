import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The system's Chromium, else the one that came with the packages. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = installed.find((path) => existsSync(path)) ?? (await bundled());
  return chromium.launch({
    executablePath,
    // Tests run as any user, root among them, and in containers with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
  });
}

async function bundled(): Promise<string> {
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}
