import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { KeyRequest } from '@holdfast/contract';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { openBrowser } from './open-browser.ts';

declare global {
  interface Window {
    violations?: string[];
    /** Set by crawled text that runs. */
    ran?: unknown;
    axe: { run(options: object): Promise<{ violations: AxeViolation[] }> };
  }
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What some tests ask for; the browser reports each as an error. */
const refusal = /status of 40[01349]/;
const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The API with the console, and one browser, for a test file. Whatever goes wrong within a page fails its test. */
export class ConsoleFixture {
  readonly api: ListeningApi;
  #contexts: BrowserContext[] = [];
  #admin: Page | undefined;
  readonly #problems: string[] = [];
  #expected = refusal;
  #browser: Browser | undefined;

  constructor(env: Record<string, string> = {}) {
    this.api = new ListeningApi(env);
    beforeAll(async () => {
      this.#browser = await openBrowser();
    });
    afterEach(async () => {
      const shared = this.#admin?.context();
      const over = this.#contexts.filter((context) => context !== shared);
      this.#contexts = shared ? [shared] : [];
      await Promise.all(over.map((context) => context.close()));
      this.#expected = refusal;
      expect(this.#problems.splice(0)).toEqual([]);
    });
    afterAll(() => this.#browser?.close());
  }

  get pool() {
    return this.api.pool;
  }

  /** A page of somebody who is not signed in. */
  async newPage(options: BrowserContextOptions = {}, origin = this.api.address): Promise<Page> {
    if (!this.#browser) throw new Error('the browser is not there yet');
    const context = await this.#browser.newContext({
      baseURL: origin,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    this.#contexts.push(context);
    await context.addInitScript(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        window.violations?.push(`${violatedDirective} ${blockedURI}`),
      );
    });
    const page = await context.newPage();
    // Sooner than the test's own, so that it says what it waited for.
    page.setDefaultTimeout(25_000);
    page.on('pageerror', ({ message }) => this.#problems.push(`threw: ${message}`));
    page.on('dialog', (dialog) => {
      this.#problems.push(`opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !this.#expected.test(message.text()))
        this.#problems.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  }

  /** A page of somebody who signed in with a key of these scopes: an admin's, if none are named. */
  async signedIn(key: Partial<KeyRequest> = {}, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.newPage(options);
    const secret = await this.api.key({ user_id: 'local', scopes: ['admin'], ...key });
    const answer = await page.request.post('/api/session', { data: { key: secret } });
    expect(answer.status()).toBe(201);
    return page;
  }

  /** The page of an admin, the same one for all tests of a file: whoever uses it goes to an address first. */
  async admin(): Promise<Page> {
    this.#admin ??= await this.signedIn();
    return this.#admin;
  }

  /** Until the end of the test the server answers a path with this status, till the answer is taken back. */
  async answering(page: Page, path: string, status: number): Promise<() => Promise<void>> {
    this.#expected = new RegExp(`${refusal.source}|status of ${status}`);
    await page.route(path, (route) => route.fulfill({ status, body: '' }));
    return () => page.unroute(path);
  }

  /** Until the end of the test nothing answers on a path, till it is taken back. */
  async awayFrom(page: Page, path: string): Promise<() => Promise<void>> {
    this.#expected = new RegExp(`${refusal.source}|Failed to load resource`);
    await page.route(path, (route) => route.abort());
    return () => page.unroute(path);
  }

  async value<Value>(sql: string, values: unknown[] = []): Promise<Value> {
    return Object.values((await this.pool.query(sql, values)).rows[0] ?? {})[0] as Value;
  }
}

/** Goes to another view as a link within the console does, without loading everything anew. */
export async function visit(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(address);
  else await page.evaluate((to) => history.pushState(null, '', to), address);
}

/** Waits for a text of the view, and tells what is there instead when it does not come. */
export async function untilShown(page: Page, text: string): Promise<void> {
  const main = page.getByRole('main');
  try {
    await main.getByText(text).filter({ visible: true }).first().waitFor();
  } catch (cause) {
    const shown = (await main.allInnerTexts()).join('').slice(0, 2_000);
    throw new Error(`${page.url()} does not show "${text}" but:\n${shown}`, { cause });
  }
}

/** What everyone may expect of a view, whatever it shows. */
export async function expectSound(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    address: location.pathname,
    // Of the page, and of its content, which is cut off instead of making the page scroll.
    tooWide: [document.documentElement, document.querySelector('main')]
      .filter((element) => element && element.scrollWidth > element.clientWidth)
      .flatMap((element) => [...(element?.querySelectorAll('*') ?? [])])
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 80))
      .slice(0, 8),
    violations: window.violations,
    ran: window.ran,
  }));
  expect(found).toEqual({ address: found.address, tooWide: [], violations: [], ran: undefined });
}

/** Nothing that keeps people with other senses or tools out. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated, not inserted: the page's own policy allows no script but its own.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run({ resultTypes: ['violations'], preload: false });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
  expect(violations, page.url()).toEqual([]);
}
