import { beforeEach, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';

const api = new ApiFixture();
beforeEach(() => api.pool.query('TRUNCATE intakes, crawl_jobs, sources CASCADE'));

async function call(method: 'GET' | 'POST', path: string, body?: unknown) {
  const answer = await api.call(method, `/api/v1/${path}`, { ...(body !== undefined && { body }) });
  return answer.json();
}

test('a list tells what each intake is worth, and how many prices that rests on', async () => {
  await configureSource(api.pool, 'hand', { adapter_type: 'import', reputation_weight: 1 });
  const { id: bare } = await call('POST', 'intakes', { title: 'Ducat' });
  const { id } = await call('POST', 'intakes', { title: 'Morgan Dollar' });
  const points = ['30', '31.50', '33', '900'].map((price, n) => ({
    price,
    currency: 'USD',
    external_id: `${n}`,
    title: 'Morgan Dollar',
  }));
  await call('POST', `intakes/${id}/price-points`, { source_id: 'hand', price_points: points });
  const valued = {
    id,
    points: 4,
    valuation: { currency: 'USD', median: expect.any(String), confidence: expect.any(Number) },
  };
  expect((await call('GET', 'intakes')).data).toMatchObject([
    valued,
    { id: bare, points: 0, valuation: null },
  ]);
  expect((await call('GET', 'intakes?valued=true')).data).toMatchObject([valued]);
  expect((await call('GET', 'intakes?valued=false')).data).toMatchObject([{ id: bare }]);
  expect((await call('GET', 'intakes?confidence_min=1')).data).toMatchObject([valued]);
  expect((await call('GET', 'intakes?confidence_min=10')).data).toEqual([]);
  const { bins, outliers } = await call('GET', `valuations/${id}/distribution`);
  const counted = bins.reduce((sum: number, { sold }: { sold: number }) => sum + sold, 0);
  expect(counted + outliers.length).toBe(4);
  expect((await call('GET', `valuations/${bare}/distribution`)).error.code).toBe('valuation_not_found');
});

test('the jobs of an intake are found, and no others', async () => {
  await configureSource(api.pool, 'shop', {
    adapter_type: 'json',
    config: { url: 'https://api.example/{title}', fields: { price: 'p' } },
  });
  const { id: other } = await call('POST', 'intakes', { title: 'Ducat' });
  const { id } = await call('POST', 'intakes', { title: 'Eagle' });
  await call('POST', 'intakes/enqueue', { ids: [id, other] });
  expect((await call('GET', `jobs?intake_id=${id}`)).data).toMatchObject([
    { kind: 'collect', source_id: 'shop', payload: { intake_id: id, title: 'Eagle' } },
  ]);
  expect((await call('GET', 'stats')).recent_jobs[0]).toMatchObject({ kind: 'collect', source_id: 'shop' });
});

test('a job that would ask a source which is not there is refused, in a batch too', async () => {
  const { id } = await call('POST', 'intakes', { title: 'Guinea' });
  const collect = { kind: 'collect', payload: { intake_id: id }, source_id: 'nowhere' };
  expect((await call('POST', 'jobs', collect)).error).toMatchObject({
    code: 'source_not_found',
    message: expect.stringContaining('nowhere'),
  });
  expect((await call('POST', 'jobs/bulk-create', { jobs: [collect] })).error.code).toBe('source_not_found');
  expect((await call('GET', `jobs?intake_id=${id}`)).data).toEqual([]);
  const link = { kind: 'crawl', payload: { url: 'https://example.com/' }, source_id: 'item-7' };
  expect(await call('POST', 'jobs', link)).toMatchObject({ source_id: 'item-7', outcome: 'created' });
});
