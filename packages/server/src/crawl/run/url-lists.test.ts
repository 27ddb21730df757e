import { expect, test, vi } from 'vitest';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { fetchList } from './url-lists.ts';

const response = { url: 'https://a.test/sitemap.xml', status: 200 } as FetchResponse;
const entry = (path: string) => Buffer.from(`<url><loc>https://a.test/${path}</loc></url>`);

test('a list is read while it comes', async () => {
  const found: string[] = [];
  const fetched = await fetchList(
    async ({ take }) => {
      // More than is looked at to tell what it is.
      await take(Buffer.concat([Buffer.from('<urlset>'), entry('1'), Buffer.alloc(1_000, ' ')]));
      expect(found).toEqual(['https://a.test/1']);
      await take(Buffer.concat([entry('2'), Buffer.from('</urlset>')]));
      return response;
    },
    (url) => void found.push(url),
  );
  expect(fetched).toEqual({ response, list: { reason: 'sitemap', leftOut: {} } });
  expect(found).toEqual(['https://a.test/1', 'https://a.test/2']);
});

test('a reading that fails while the site still sends is an error of the list, not of the process', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  let respond = () => {};
  const sent = new Promise<FetchResponse>((resolve) => {
    respond = () => resolve(response);
  });
  const failed = expect(
    fetchList(
      async ({ take }) => {
        await take(Buffer.concat([Buffer.from('<urlset>'), entry('1'), Buffer.alloc(1_000, ' ')]));
        // Rejections that nobody has a handler for are told when the microtasks are through.
        await new Promise((resolve) => setImmediate(resolve));
        respond();
        return await sent;
      },
      () => Promise.reject(new Error('no room')),
    ),
  ).rejects.toThrow('no room');
  await failed;
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('a request that fails fails the list', async () => {
  const failed = fetchList(
    async ({ take }) => {
      await take(entry('1'));
      throw new Error('reset');
    },
    () => undefined,
  );
  await expect(failed).rejects.toThrow('reset');
});
