import type { Configuration } from '@holdfast/contract';
import { browserAccount } from './browser-account.ts';
import { locateBrowser } from './find-browser.ts';

/** Whether pages can probably be rendered here; does not start a browser. */
export type BrowserReadiness =
  | { readonly browser: string }
  | { readonly problem: string; readonly advice: string };

const rootAdvice =
  'Run Holdfast as an account of its own, or do what the message says; see docs/guides/render-pages.md.';

export function browserReadiness({ browser: configured }: Pick<Configuration, 'browser'>): BrowserReadiness {
  const located = locateBrowser({ configured });
  if ('hint' in located) return { problem: 'there is no browser', advice: located.hint };
  // Archives are unpacked in a folder that the browser's account can access.
  const account = browserAccount('archive' in located ? '/' : located.path);
  if ('refused' in account)
    return { problem: `the browser cannot run with its sandbox: ${account.refused}`, advice: rootAdvice };
  return { browser: 'archive' in located ? located.from : located.path };
}
