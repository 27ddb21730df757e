import { browserPath } from './open-browser.ts';

/** Before any test: several files open a browser at once, and on a new machine the first of them would still be unpacking it. */
export default async function unpackBrowser(): Promise<void> {
  process.env.CHROMIUM_PATH = await browserPath();
}
