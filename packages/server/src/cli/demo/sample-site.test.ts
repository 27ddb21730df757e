import { afterEach, describe, expect, test } from 'vitest';
import { SampleSite, sampleSiteText } from './sample-site.ts';

const sites: SampleSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function started(...options: ConstructorParameters<typeof SampleSite>): Promise<SampleSite> {
  const site = new SampleSite(...options);
  await site.start();
  sites.push(site);
  return site;
}

test('a sample site whose port is taken answers on another, and says so', async () => {
  const [first, second] = [await started(), new SampleSite()];
  const port = Number(new URL(first.origin).port);
  expect(sampleSiteText(first.origin, port)).toBe(`sample site  http://127.0.0.1:${port}`);
  expect(sampleSiteText(first.origin, 0)).toBe(`sample site  http://127.0.0.1:${port}`);
  await second.start(port);
  sites.push(second);
  expect((await fetch(second.origin)).status).toBe(200);
  const told = sampleSiteText(second.origin, port);
  expect(told).toMatch(`sample site  ${second.origin}\n`);
  expect(told).toMatch(new RegExp(`WARNING: port ${port}, .* is taken`));
});

describe('between two crawls', () => {
  /** The body of every page that the front page leads to, by its path. */
  async function crawl({ origin }: SampleSite): Promise<Map<string, string>> {
    const text = async (path: string) => await (await fetch(origin + path)).text();
    const front = await text('/');
    const pages = new Map([['/', front]]);
    for (const [, path = ''] of front.matchAll(/href="([^"]+)"/g)) pages.set(path, await text(path));
    return pages;
  }

  test('the site that changes has one new page, one that is gone, and two with another text', async () => {
    const site = await started({ firstEdition: 7, slowness: 0 });
    const [before, after] = [await crawl(site), await crawl(site)];
    const [gone] = [...before.keys()].filter((path) => !after.has(path));
    const [added] = [...after.keys()].filter((path) => !before.has(path));
    expect([gone, added]).toEqual(['/notices/8', '/notices/9']);
    expect(
      [...after.keys()].filter((path) => before.has(path) && before.get(path) !== after.get(path)),
    ).toEqual(['/', '/log-book']);
    expect((await fetch(site.origin + gone)).status).toBe(404);
  });

  test('a page that stayed as it is answers that to whoever knows it', async () => {
    const { origin } = await started({ slowness: 0 });
    const etag = (await fetch(`${origin}/knots/`)).headers.get('etag') ?? '';
    const again = await fetch(`${origin}/knots/`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('that of the demo stays as it is', async () => {
    const site = await started({ slowness: 0 });
    expect(await crawl(site)).toEqual(await crawl(site));
  });
});
