import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  expectedWaits,
  fillWaits,
  waitingCases,
} from '../../packages/server/src/ops/jobs/testing/waiting-jobs.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { ConsoleFixture } from './console-fixture.ts';

// The API itself: packages/server/src/ops/jobs/find-waits.test.ts, with the same cases.
const console = new ConsoleFixture();
const holdfast = (...args: string[]) =>
  runHoldfast(args, { DATABASE_URL: console.api.databaseUrl ?? '', COLUMNS: '400' });

let ids: Awaited<ReturnType<typeof fillWaits>>;
let listed: string[];
let page: Page;
beforeAll(async () => {
  ids = await fillWaits(console.pool);
  listed = (await holdfast('jobs', 'list')).stdout.split('\n');
  page = await console.admin();
});

describe.each(waitingCases)('a job that waits for: %s', (name) => {
  const [, text, hasEnd, ends] = expectedWaits[name];

  test('says so in the command line, with until when and what ends it', async () => {
    const row = listed.find((line) => line.startsWith(ids[name]));
    expect(row).toContain(text.slice(0, 50));
    expect(/\(in \d+ (s|min|h)\)/.test(row ?? '')).toBe(hasEnd);

    const { stdout } = await holdfast('jobs', 'show', ids[name]);
    const waits = /^waits +(.*)$/m.exec(stdout)?.[1];
    expect(waits).toContain(text);
    expect(waits).toContain(ends.replace('ID', ids[name]).replace('holdfast ', 'npx holdfast '));
    expect(/, until \d{4}-\d\d-\d\dT.* \(in \d+ \w+\)\./.test(waits ?? '')).toBe(hasEnd);
  });

  test('says so in the console, with until when and what ends it', async () => {
    await page.goto(`/jobs/${ids[name]}`);
    const notice = page.getByRole('region', { name: 'Why it waits' });
    const shown = (await notice.innerText()).replaceAll(/\s+/g, ' ');
    expect(shown).toContain(text);
    expect(shown).toContain(ends.replace('ID', ids[name]));
    expect(/, until .*\d\d:\d\d.* \(in \d+[smh]\)\./.test(shown)).toBe(hasEnd);
  });
});

test('the list of the console says it in one line', async () => {
  await page.goto('/jobs');
  for (const name of waitingCases) {
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${ids[name]}"]`) });
    await expect(row.innerText()).resolves.toContain(expectedWaits[name][1].slice(0, 40));
  }
});
