import { describe, expect, test } from 'vitest';
import { isTransient, retryTransient, retryWhileLeased } from './transient-errors.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });
const passing = failure('ECONNRESET');

describe('an error of the database', () => {
  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'EHOSTDOWN',
    'ENETUNREACH',
    'ENETDOWN',
    'EAI_AGAIN',
    'ENOTFOUND',
    '08006',
    '25006',
    '40P01',
    '53300',
    '55P03',
    '57P01',
  ])('passes when the network or the server is at fault: %s', (code) => {
    expect(isTransient(failure(code))).toBe(true);
  });

  test.each(['23505', '22P02', '25001', '42P01', 'product_not_found', 'ERR_INVALID_ARG_TYPE'])(
    'does not pass when the statement is at fault: %s',
    (code) => {
      expect(isTransient(failure(code))).toBe(false);
    },
  );

  test('passes when one of the addresses of a name may answer later', () => {
    const unusable = failure('EADDRNOTAVAIL');
    const aggregate = (...errors: Error[]) =>
      Object.assign(new AggregateError(errors), { code: (errors[0] as { code?: string }).code });
    expect(isTransient(aggregate(failure('ENETUNREACH'), failure('ECONNREFUSED')))).toBe(true);
    expect(isTransient(aggregate(unusable, failure('EHOSTUNREACH')))).toBe(true);
    expect(isTransient(new AggregateError([failure('ECONNREFUSED')]))).toBe(true);
    expect(isTransient(aggregate(unusable))).toBe(false);
  });
});

describe('a statement that may be repeated', () => {
  /** Fails so many times, and counts. */
  const failing = (times: number, error: unknown) => {
    const write = async () => {
      if (++write.count <= times) throw error;
      return 'written';
    };
    write.count = 0;
    return write;
  };

  test('is repeated while its error is a passing one', async () => {
    const write = failing(2, passing);
    await expect(retryTransient(() => true, write)).resolves.toBe('written');
    expect(write.count).toBe(3);
    await expect(retryTransient(() => true, failing(1, failure('23505')))).rejects.toMatchObject({
      code: '23505',
    });
  });

  test.each([
    ['its lease is over', { leaseEnds: () => 0, signal: new AbortController().signal }],
    [
      'its run was told to stop',
      { leaseEnds: () => Number.POSITIVE_INFINITY, signal: AbortSignal.abort('cancel') },
    ],
  ])('is tried once when %s', async (_, lease) => {
    const write = failing(1, passing);
    await expect(retryWhileLeased(lease, write)).rejects.toBe(passing);
    expect(write.count).toBe(1);
  });

  test('is repeated as long as its run is leased', async () => {
    const lease = { leaseEnds: () => Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    await expect(retryWhileLeased(lease, failing(1, passing))).resolves.toBe('written');
  });
});
