import { expect, test } from 'vitest';
import { submissionText, type VisitResult } from './submission-text.ts';

const text = (price: VisitResult['price'], more: Partial<VisitResult> = {}) =>
  submissionText({
    bot_id: 'b',
    job_id: 'j',
    lease_token: 't',
    success: true,
    currency: 'USD',
    ...more,
    price,
  });

test('a price is sent with the very digits it was given with', () => {
  for (const price of [
    '99.99',
    '0',
    '-1',
    '12345678901234567890.12345678901234567890',
    '1299.90',
    '1e-7',
    '1.50E+3',
  ])
    expect(text(price)).toMatch(new RegExp(`,"price":${price.replace(/[.+]/g, '\\$&')}}$`));
  expect(text(99.99)).toContain('"price":99.99}');
  expect(JSON.parse(text('7.0', { title: '"}', parsed_data: { price: 'x' } }))).toEqual({
    bot_id: 'b',
    job_id: 'j',
    lease_token: 't',
    success: true,
    currency: 'USD',
    title: '"}',
    parsed_data: { price: 'x' },
    price: 7,
  });
});

test('a price that is no number is not sent', () => {
  for (const price of [
    '',
    ' 1',
    '1,50',
    '01',
    '.5',
    '5.',
    '1_000',
    '$5',
    'NaN',
    '1}',
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])
    expect(() => text(price)).toThrow(TypeError);
});
