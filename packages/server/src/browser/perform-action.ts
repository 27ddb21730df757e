import { HoldfastError, type PageAction } from '@holdfast/contract';
import type { Page } from 'playwright-core';

const screenPixels = 800;
/** How long to wait for an optional element. */
const optionalMs = 3_000;

/** Fails with `action_failed` if the element does not appear, so that a typo in a selector is noticed. */
export async function performAction(page: Page, action: PageAction, timeout: number): Promise<void> {
  const isOptional = 'optional' in action && action.optional === true;
  try {
    await perform(page, action, isOptional ? Math.min(timeout, optionalMs) : timeout);
  } catch (error) {
    if (isOptional && (error as Error).name === 'TimeoutError') return;
    const { type } = action;
    const on = 'selector' in action ? action.selector : 'key' in action ? action.key : undefined;
    const what = on === undefined ? type : `${type} ${on}`;
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new HoldfastError('action_failed', `${what}: ${reason.slice(0, 200)}`, { cause: error });
  }
}

async function inTime(running: Promise<unknown>, timeout: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${Math.round(timeout / 1000)} s`)), timeout);
  });
  try {
    await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
    running.catch(() => undefined);
  }
}

async function perform(page: Page, action: PageAction, timeout: number): Promise<void> {
  switch (action.type) {
    case 'wait':
      if (action.selector !== undefined) await page.waitForSelector(action.selector, { timeout });
      else await page.waitForTimeout(Math.min(action.milliseconds ?? 0, timeout));
      return;
    case 'click':
      return await page.click(action.selector, { timeout });
    case 'type':
      return await page.fill(action.selector, action.text, { timeout });
    case 'press':
      return await page.keyboard.press(action.key);
    case 'scroll': {
      const pixels = (action.amount ?? screenPixels) * (action.direction === 'up' ? -1 : 1);
      return await page.mouse.wheel(0, pixels);
    }
    case 'evaluate':
      // In a function, so that a script may await.
      await inTime(page.evaluate(`(async () => { ${action.script}\n})()`), timeout);
  }
}
