import { setTimeout as delay } from 'node:timers/promises';

/** Waits for something to become so; fails with what it was when it takes too long. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { seconds = 60, everyMs = 20 }: { seconds?: number; everyMs?: number } = {},
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain for: ${what}`);
    await delay(everyMs);
  }
}
