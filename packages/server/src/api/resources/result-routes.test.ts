import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';

const api = new ApiFixture();
const policy = '01a1e1d5-de60-7d19-800b-34c5346a372f';
let key: string;

/** Five results of alice, hour by hour, the last one now; and one of bob. */
beforeEach(async () => {
  key ??= await api.key({ scopes: ['jobs:read'] });
  await api.pool.query('DELETE FROM crawl_results');
  for (let n = 1; n <= 5; n++) {
    await api.pool.query(
      `INSERT INTO crawl_results (id, job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, actor, crawled_at)
       SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid, gen_random_uuid(),
         CASE WHEN $1 <= 3 THEN $2::uuid END, 'alice', 'https://shop.example/' || ($1 % 2), (10 + $1 || '.50')::numeric,
         CASE WHEN $1 = 5 THEN 'EUR' ELSE 'USD' END, 'Item ' || $1, $1 % 2 = 0, '{"was": 12.500}', 'bot:b', at
       FROM (SELECT date_trunc('hour', now()) - (5 - $1) * interval '1 hour' AS at) moment`,
      [n, policy],
    );
  }
  await api.pool.query(
    `INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, actor)
     VALUES (gen_random_uuid(), $1, 'bob', 'https://shop.example/1', 1, 'USD', 'bot:b')`,
    [policy],
  );
});

const get = (path: string, options = {}) => api.call('GET', `/api/v1/${path}`, { key, ...options });
const titles = async (query: string) => {
  const answer = await get(`results?${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().data.map(({ title }: { title: string }) => Number(title.slice(5)));
};
const hoursAgo = (hours: number) =>
  new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000).toISOString();

describe('the list of results', () => {
  test('has the owner’s, the newest first, with prices as text', async () => {
    const { data, next_cursor } = (await get('results')).json();
    expect(next_cursor).toBeNull();
    expect(data.map(({ price }: { price: string }) => price)).toEqual([
      '15.50',
      '14.50',
      '13.50',
      '12.50',
      '11.50',
    ]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      job_id: expect.any(String),
      policy_id: null,
      user_id: 'alice',
      url: 'https://shop.example/1',
      price: '15.50',
      currency: 'EUR',
      title: 'Item 5',
      in_stock: false,
      actor: 'bot:b',
      has_raw_html: false,
      price_change: {
        previous_result_id: expect.any(String),
        previous_price: '13.50',
        previous_currency: 'USD',
      },
      crawled_at: hoursAgo(0),
    });
  });

  test.each([
    ['currency=usd', [4, 3, 2, 1]],
    ['in_stock=true', [4, 2]],
    ['in_stock=false&currency=EUR', [5]],
    [`policy_id=${policy}`, [3, 2, 1]],
    ['url=https://shop.example/1', [5, 3, 1]],
    ['url=https://shop.example/1&currency=USD', [3, 1]],
    ['url=https://shop.example/unknown', []],
    ['user_id=alice', [5, 4, 3, 2, 1]],
  ])('filtered by %s has %j', async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  test('filtered by time has those from the first moment on, and before the second', async () => {
    expect(await titles(`crawled_after=${hoursAgo(2)}`)).toEqual([5, 4, 3]);
    expect(await titles(`crawled_before=${hoursAgo(2)}`)).toEqual([2, 1]);
    expect(await titles(`created_after=${hoursAgo(3)}&created_before=${hoursAgo(1)}`)).toEqual([3, 2]);
  });

  test('is read page by page without gap or repeat', async () => {
    const seen: number[] = [];
    let cursor = '';
    do {
      const { data, next_cursor } = (await get(`results?limit=2${cursor}`)).json();
      seen.push(...data.map(({ title }: { title: string }) => Number(title.slice(5))));
      cursor = next_cursor ? `&cursor=${next_cursor}` : '';
    } while (cursor);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  test('of a currency that few have comes to each of them once, looking at a part of all at a time', async () => {
    const { rows: made } = await api.pool.query<{ id: string; currency: string }>(
      `INSERT INTO crawl_results (job_id, user_id, url, price, currency, actor)
       SELECT gen_random_uuid(), 'alice', 'https://shop.example/' || n, 1, CASE WHEN n % 3000 = 7 THEN 'CHF' ELSE 'USD' END, 'bot:b'
       FROM generate_series(1, 12000) AS n RETURNING id, currency`,
    );
    const seen: string[] = [];
    let parts = 0;
    for (let cursor = ''; ; parts++) {
      const { data, next_cursor } = (await get(`results?limit=3&currency=CHF${cursor}`)).json();
      seen.push(...data.map(({ id }: { id: string }) => id));
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    const wanted = made.filter(({ currency }) => currency === 'CHF').map(({ id }) => id);
    expect(wanted).toHaveLength(4);
    expect(seen).toEqual(wanted.toReversed());
    expect(parts).toBeGreaterThanOrEqual(2);
  });

  test('of every owner is for operators', async () => {
    const refused = await get('results?user_id=bob');
    expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'scope_missing']);
    const operator = await api.key({ scopes: ['operate'] });
    expect((await get('results', { key: operator })).json().data).toHaveLength(6);
    expect((await get('results?user_id=bob', { key: operator })).json().data).toHaveLength(1);
  });
});

describe('one result', () => {
  test('has what was read from the page, to the last digit', async () => {
    const { id } = (await get('results?limit=1')).json().data[0];
    const answer = await get(`results/${id}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      id,
      price: '15.50',
      parsed_data: { was: 12.5 },
      crawled_at: hoursAgo(0),
    });
    expect(answer.body).toContain('"parsed_data":{"was": 12.500}');
  });

  test('of another owner, or of nobody, is not there', async () => {
    const { rows } = await api.pool.query(`SELECT id FROM crawl_results WHERE user_id = 'bob'`);
    for (const id of [rows[0].id, policy]) {
      for (const path of [`results/${id}`, `results/${id}/raw`]) {
        const answer = await get(path);
        expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'result_not_found']);
      }
    }
  });

  test('hands out its raw HTML as a file that no browser runs', async () => {
    const html = '<script>alert(1)</script> “raw”';
    const { id } = (await get('results?limit=1')).json().data[0];
    expect((await get(`results/${id}/raw`)).statusCode).toBe(404);
    await api.pool.query('UPDATE crawl_results SET raw_html = $1 WHERE id = $2', [deflateRawSync(html), id]);
    const answer = await get(`results/${id}/raw`);
    expect([answer.statusCode, answer.body]).toEqual([200, html]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="result-${id}.html"`,
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
    expect((await get(`results/${id}`)).json().has_raw_html).toBe(true);
  });
});

describe('the price history', () => {
  const prices = async (query: string) => {
    const answer = await get(`price-history?${query}`);
    expect(answer.statusCode).toBe(200);
    return answer.json().data.map(({ price }: { price: string }) => price);
  };

  test('is that of a policy or of a URL, of one owner, the newest first', async () => {
    expect(await prices(`policy_id=${policy}`)).toEqual(['13.50', '12.50', '11.50']);
    expect(await prices('url=https://shop.example/1')).toEqual(['15.50', '13.50', '11.50']);
    expect(await prices('url=https://shop.example/1&currency=USD')).toEqual(['13.50', '11.50']);
    expect(await prices(`url=https://shop.example/1&crawled_after=${hoursAgo(2)}`)).toEqual([
      '15.50',
      '13.50',
    ]);
    const { data, next_cursor } = (await get(`price-history?policy_id=${policy}&limit=2`)).json();
    expect(data[0]).toEqual({
      result_id: expect.any(String),
      price: '13.50',
      currency: 'USD',
      in_stock: false,
      price_change: {
        previous_result_id: expect.any(String),
        previous_price: '11.50',
        previous_currency: 'USD',
      },
      crawled_at: hoursAgo(2),
    });
    expect(await prices(`policy_id=${policy}&cursor=${next_cursor}`)).toEqual(['11.50']);
  });

  test.each(['', `policy_id=${policy}&url=https://shop.example/1`])(
    'needs one of the two: %j',
    async (query) => {
      const answer = await get(`price-history?${query}`);
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'bad_request']);
    },
  );
});
