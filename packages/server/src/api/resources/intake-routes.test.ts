import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';

const api = new ApiFixture();
beforeEach(async () => {
  await api.pool.query('TRUNCATE intakes, price_points, sources CASCADE');
  await configureSource(api.pool, 'hand', { adapter_type: 'import', reputation_weight: 1 });
});

const coin = { title: 'Morgan Dollar', attributes: { year: 1881, mintmark: 'S' } };

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, key?: string) {
  const answer = await api.call(method, `/api/v1/${path}`, {
    ...(body !== undefined && { body }),
    ...(key !== undefined && { key }),
  });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

async function makeIntake(request: object = coin): Promise<string> {
  return (await call('POST', 'intakes', request)).body.id;
}

describe('intakes', () => {
  test('are made, shown, changed, listed and deleted', async () => {
    const made = await call('POST', 'intakes', {
      ...coin,
      tags: ['coins'],
      reference: 'A-1',
      currency: 'usd',
    });
    expect(made).toMatchObject({
      status: 201,
      body: { ...coin, currency: 'USD', must_agree: null, user_id: 'admin' },
    });
    const { id } = made.body;
    expect((await call('GET', `intakes/${id}`)).body).toEqual(made.body);
    expect((await call('PATCH', `intakes/${id}`, { tags: [], title: null })).body).toMatchObject({
      tags: [],
      title: null,
      reference: 'A-1',
      attributes: coin.attributes,
    });
    expect(await call('POST', 'intakes', { title: 'twin', reference: 'A-1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'intake_exists' } },
    });
    expect(await call('PATCH', `intakes/${id}`, { attributes: {} })).toMatchObject({ status: 400 });
    const other = await makeIntake({ title: 'Silver eagle', tags: ['coins', 'new'] });
    expect((await call('GET', 'intakes?tag=coins')).body.data).toMatchObject([{ id: other }]);
    expect((await call('GET', 'intakes?search=EAGLE')).body.data).toHaveLength(1);
    const page = (await call('GET', 'intakes?limit=1')).body;
    expect((await call('GET', `intakes?limit=1&cursor=${page.next_cursor}`)).body).toMatchObject({
      data: [{ id }],
      next_cursor: null,
    });
    expect((await call('DELETE', `intakes/${id}`)).status).toBe(200);
    expect(await call('GET', `intakes/${id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'intake_not_found' } },
    });
  });

  test('are imported as JSON or CSV, again and again', async () => {
    const csv =
      'reference;title;year;mintmark;tags\nA;"Morgan ""Dollar""; worn";1881;S;coins|silver\nB;Eagle;;;\n';
    const first = await call('POST', 'intakes/import', { csv });
    expect(first.body).toMatchObject({
      created: 2,
      changed: 0,
      data: [
        {
          reference: 'A',
          title: 'Morgan "Dollar"; worn',
          attributes: { year: '1881', mintmark: 'S' },
          tags: ['coins', 'silver'],
        },
        { reference: 'B', attributes: {} },
      ],
    });
    const again = await call('POST', 'intakes/import', {
      intakes: [
        { reference: 'C', title: 'x' },
        { reference: 'A', title: 'y' },
      ],
    });
    expect(again.body).toMatchObject({
      created: 1,
      changed: 1,
      data: [{ reference: 'C' }, { reference: 'A', title: 'y' }],
    });
    expect((await call('GET', 'intakes')).body.data).toHaveLength(3);
    for (const bad of ['title,title\nx,y', 'title\n"x', 'title\nx,y', ''])
      expect((await call('POST', 'intakes/import', { csv: bad })).status).toBe(400);
    expect(await call('POST', 'intakes/import', { csv: 'currency\nEUR' })).toMatchObject({ status: 400 });
  });

  test('imported together are listed in the order given, whatever their references', async () => {
    const references = Array.from({ length: 40 }, (_, n) => `r${(n * 23) % 40}`);
    const intakes = references.map((reference) => ({ reference, title: 'x' }));
    await call('POST', 'intakes/import', { intakes });
    const { data } = (await call('GET', 'intakes')).body;
    expect(data.map(({ reference }: { reference: string }) => reference)).toEqual(references.toReversed());
  });

  test('ask each source that can be asked once, one after the other, and not again while a job lives', async () => {
    const config = { url: 'https://api.example/{title}', fields: { price: 'p' } };
    await configureSource(api.pool, 'a', { adapter_type: 'json', config });
    await configureSource(api.pool, 'b', {
      adapter_type: 'json',
      config: { ...config, url: 'https://b.example/' },
    });
    await configureSource(api.pool, 'off', { adapter_type: 'json', config, enabled: false });
    await configureSource(api.pool, 'plain', { hosts: ['plain.example'] });
    const id = await makeIntake();
    const { body } = await call('POST', `intakes/${id}/enqueue`, { stagger_seconds: 30 });
    expect(body.data).toMatchObject([
      {
        intake_id: id,
        source_id: 'a',
        outcome: 'created',
        job: { kind: 'collect', run_at: null },
      },
      { intake_id: id, source_id: 'b', outcome: 'created', job: { run_at: expect.any(String) } },
    ]);
    const again = (await call('POST', `intakes/${id}/enqueue`)).body.data;
    expect(again.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'deduplicated',
      'deduplicated',
    ]);
    const byHand = { kind: 'collect', payload: { intake_id: id }, source_id: 'a' };
    expect((await call('POST', 'jobs', byHand)).body).toMatchObject({
      id: body.data[0].job.id,
      outcome: 'deduplicated',
    });
    expect(await call('POST', `intakes/${id}/enqueue`, { sources: ['off'] })).toMatchObject({
      status: 422,
      body: { error: { code: 'adapter_missing' } },
    });
    await call('DELETE', `intakes/${id}`);
    expect((await call('GET', `jobs/${body.data[0].job.id}`)).body).toMatchObject({ status: 'cancelled' });
  });

  test('of another owner are enqueued by an operator in the name of their owner', async () => {
    await configureSource(api.pool, 'a', {
      adapter_type: 'json',
      config: { url: 'https://a.example/', fields: { price: 'p' } },
    });
    const key = await api.key({ user_id: 'alice' });
    const { id } = (await call('POST', 'intakes', coin, key)).body;
    const { data } = (await call('POST', 'intakes/enqueue', { ids: [id] })).body;
    expect(data).toMatchObject([{ job: { user_id: 'alice' } }]);
    expect((await call('GET', 'intakes', undefined, key)).body.data).toHaveLength(1);
    expect((await call('GET', 'intakes?user_id=admin', undefined, key)).status).toBe(403);
  });
});

describe('prices brought by hand', () => {
  const money = ['0.3', '59.97', '123456', '1.250', '90071992547409931.01'];

  test('come back digit for digit, in whatever currency', async () => {
    const id = await makeIntake();
    const price_points = money.map((price, n) => ({
      price,
      currency: ['USD', 'USD', 'JPY', 'KWD', 'EUR'][n],
      external_id: `${n}`,
    }));
    const answer = await call('POST', `intakes/${id}/price-points`, { source_id: 'hand', price_points });
    expect(answer.body).toEqual({ added: 5, strengthened: 0, kept: 0 });
    const { data } = (await call('GET', `price-points?intake_id=${id}`)).body;
    // Newest first: the last one given counts as the newest.
    expect(data.map(({ price }: { price: string }) => price)).toEqual(money.toReversed());
    expect((await call('GET', `price-points/${data[0].id}`)).body).toMatchObject({
      raw: null,
      job_id: null,
      actor: 'user:admin',
    });
  });

  test('are refused as numbers, and to a source that has its own', async () => {
    const id = await makeIntake();
    const point = { currency: 'USD', price: 19.99 };
    expect(
      (await call('POST', `intakes/${id}/price-points`, { source_id: 'hand', price_points: [point] })).status,
    ).toBe(400);
    await configureSource(api.pool, 'a', {
      adapter_type: 'json',
      config: { url: 'https://a.example/', fields: { price: 'p' } },
    });
    const good = { source_id: 'a', price_points: [{ ...point, price: '19.99' }] };
    expect(await call('POST', `intakes/${id}/price-points`, good)).toMatchObject({ status: 400 });
    expect(await call('POST', `intakes/${id}/price-points`, { ...good, source_id: 'none' })).toMatchObject({
      status: 404,
    });
  });

  test('make a valuation, which follows them and the intake, and remembers', async () => {
    const id = await makeIntake({ ...coin, must_agree: ['year'] });
    expect((await call('GET', `valuations/${id}`)).body.error.code).toBe('valuation_not_found');
    const csv = `price,currency,price_type,title,external_id
15,USD,sold,Morgan Dollar 1881 S,1
20,USD,sold,Morgan Dollar 1881 S,2
35,USD,sold,Morgan Dollar 1881 S,3
40,USD,sold,Morgan Dollar 1881 S,4
50,USD,sold,Morgan Dollar 1881 S,5
9,EUR,ask,Morgan Dollar 1881 S,6`;
    await call('POST', `intakes/${id}/price-points`, { source_id: 'hand', csv });
    // As numpy has it: percentile([15, 20, 35, 40, 50], …, method='hazen').
    const five = {
      p10: '15.00',
      p20: '17.50',
      p40: '27.50',
      median: '35.00',
      p60: '37.50',
      p80: '45.00',
      p90: '50.00',
    };
    const valuation = (await call('GET', `valuations/${id}`)).body;
    expect(valuation).toMatchObject({
      ...five,
      mean: '32.00',
      currency: 'USD',
      comparables: 5,
      sold: 5,
      ask: 0,
      other_currencies: 1,
    });
    expect(valuation.reasons.every(({ text }: { text: string }) => text.endsWith('.'))).toBe(true);
    await call('PATCH', `intakes/${id}`, { currency: 'EUR' });
    expect((await call('GET', `valuations/${id}`)).body).toMatchObject({
      median: '9.00',
      currency: 'EUR',
      other_currencies: 5,
    });
    await call('PATCH', `intakes/${id}`, { attributes: { year: 1882 } });
    expect((await call('GET', `valuations/${id}`)).body.error.code).toBe('valuation_not_found');
    await call('PATCH', `intakes/${id}`, { attributes: coin.attributes, currency: null });
    const { data } = (await call('GET', `price-points?intake_id=${id}&price_type=sold&limit=1`)).body;
    await call('DELETE', `price-points/${data[0].id}`);
    expect((await call('GET', `valuations/${id}`)).body).toMatchObject({
      comparables: 4,
      other_currencies: 1,
    });
    const { data: history } = (await call('GET', `valuations/${id}/history`)).body;
    expect(
      history.map(({ currency, comparables }: { currency: string; comparables: number }) => [
        currency,
        comparables,
      ]),
    ).toEqual([
      ['USD', 4],
      ['USD', 5],
      ['EUR', 1],
      ['USD', 5],
    ]);
    expect((await call('GET', 'valuations?confidence_min=10')).body.data).toEqual([]);
    expect((await call('GET', 'valuations')).body.data).toHaveLength(1);
  });
});
