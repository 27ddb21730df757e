import { expect, test } from 'vitest';
import { SampleSite } from './sample-site.ts';
import { sampleSiteText } from './sample-site-text.ts';

test('a sample site whose port is taken answers on another, and says so', async () => {
  const [first, second] = [new SampleSite(), new SampleSite()];
  await first.start();
  const port = Number(new URL(first.origin).port);
  expect(sampleSiteText(first.origin, port)).toBe(`sample site  http://127.0.0.1:${port}`);
  expect(sampleSiteText(first.origin, 0)).toBe(`sample site  http://127.0.0.1:${port}`);
  await second.start(port);
  expect((await fetch(second.origin)).status).toBe(200);
  const told = sampleSiteText(second.origin, port);
  expect(told).toMatch(`sample site  ${second.origin}\n`);
  expect(told).toMatch(new RegExp(`WARNING: port ${port}, .* is taken`));
  await Promise.all([first.close(), second.close()]);
});
