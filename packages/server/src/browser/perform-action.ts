import { HoldfastError, type PageAction } from '@holdfast/contract';
import type { Page } from 'playwright-core';

const screenPixels = 800;

/** Fails with `action_failed` when an element does not come, so that a typing error in a selector is noticed. */
export async function performAction(page: Page, action: PageAction, timeout: number): Promise<void> {
  try {
    await perform(page, action, timeout);
  } catch (error) {
    const what = 'selector' in action ? `${action.type} ${action.selector}` : action.type;
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new HoldfastError('action_failed', `${what}: ${reason.slice(0, 200)}`, { cause: error });
  }
}

async function perform(page: Page, action: PageAction, timeout: number): Promise<void> {
  switch (action.type) {
    case 'wait':
      if ('selector' in action) await page.waitForSelector(action.selector, { timeout });
      else await page.waitForTimeout(Math.min(action.milliseconds, timeout));
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
  }
}
