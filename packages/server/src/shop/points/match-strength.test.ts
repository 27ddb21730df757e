import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchStrength } from './match-strength.ts';

const coin = { year: 1881, mintmark: 'S', denomination: 'dollar', series: 'Morgan' };
const strength = (title: string, attributes?: Record<string, unknown>) =>
  Number(matchStrength(coin, { title, attributes }));

describe('match strength', () => {
  test('is one for a listing that says all of it', () => {
    expect(matchStrength(coin, { title: '1881-S Morgan Dollar, uncirculated' })).toBe('1.000');
  });

  test.each([
    ['another year', '1882-S Morgan Dollar'],
    ['another mintmark', '1881-CC Morgan Dollar'],
    ['another mintmark, written apart', '1881 O Morgan Dollar'],
  ])('is nothing for %s', (_name, title) => {
    expect(matchStrength(coin, { title })).toBe('0.000');
  });

  test('is nothing where the source itself says another', () => {
    expect(strength('1881-S Morgan Dollar', { denomination: 'half dollar' })).toBe(0);
    expect(strength('1881-S Morgan Dollar', { mintmark: 's' })).toBe(1);
  });

  test('is less for what is not mentioned', () => {
    const all = strength('1881-S Morgan dollar');
    const noMint = strength('1881 Morgan dollar');
    const little = strength('Morgan dollar');
    expect([all > noMint, noMint > little, little > 0]).toEqual([true, true, true]);
  });

  test('does not take an article for a mintmark, nor a price for a year', () => {
    expect(strength('1881 A fine Morgan dollar')).toBeGreaterThan(0);
    expect(strength('Morgan dollar 1881-S lot 18811')).toBe(1);
  });

  test('asks for the attributes that it is told', () => {
    const item = { title: 'Lamp', colour: 'red' };
    expect(matchStrength(item, { title: 'Lamp', attributes: { colour: 'blue' } }, ['colour'])).toBe('0.000');
    expect(matchStrength(item, { title: 'Lamp red' }, ['colour'])).toBe('1.000');
    expect(matchStrength(item, { title: 'Lamp' }, ['colour'])).toBe('0.400');
  });

  test('of nothing to compare is nothing', () => {
    expect(matchStrength({}, { title: 'anything' })).toBe('0.000');
    expect(matchStrength(coin, { title: '' })).toBe('0.000');
  });

  test('lies between nothing and one for any texts, and grows with words in common', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (title, series, other) => {
        const item = { title, series };
        const share = Number(matchStrength(item, { title: other }));
        expect(share >= 0 && share <= 1).toBe(true);
        expect(Number(matchStrength(item, { title: `${other} ${title} ${series}` }))).toBeGreaterThanOrEqual(
          share,
        );
      }),
    );
  });
});
