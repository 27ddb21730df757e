import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePrice } from './parse-price.ts';

const amount = (text: string) => parsePrice(text).amount;

describe('the amount', () => {
  test.each([
    ['1234', '1234'],
    ['1,234.56', '1234.56'],
    ['1.234,56', '1234.56'],
    ['1 234,56', '1234.56'],
    ["1'234.50", '1234.50'],
    ['1’234’567.50', '1234567.50'],
    ['12,34,567.89', '1234567.89'],
    ['1.234.567', '1234567'],
    ['1,234', '1234'],
    ['1.234', '1234'],
    ['0.123', '0.123'],
    ['0,5', '0.5'],
    ['1234.567', '1234.567'],
    ['2.3456', '2.3456'],
    ['.75', '0.75'],
    ['007,50', '7.50'],
    ['19, 90', '19.90'],
    ['5,-', '5'],
    ['1.500,–', '1500'],
    ['٢٬٤٥٠٫٧٥', '2450.75'],
    ['१२३.४५', '123.45'],
    ['１，２００', '1200'],
  ])('of %s is %s', (text, expected) => {
    expect(amount(text)).toBe(expected);
  });

  test.each([
    ['18€95', '18.95'],
    ['12$ 50', '12.50'],
    ['€ 12 99', '12.99'],
    ['12 99 €', '12.99'],
    ['700€ 250', '700'],
    ['£50£60', '50'],
  ])('takes cents that stand apart: %s', (text, expected) => {
    expect(amount(text)).toBe(expected);
  });

  test.each([
    ['Save 20% now 79,90 €', '79.90'],
    ['3 for $10', '10'],
    ['100 - £2.50', '2.50'],
    ['500 g for 3.20', '3.20'],
    ['Model X200: 45.00', '45.00'],
    ['10 - 15 €', '10'],
    ['from $5.00', '5.00'],
  ])('is the number that is a price: %s', (text, expected) => {
    expect(amount(text)).toBe(expected);
  });

  test.each(['', 'sold out', '20 %', '16.00 ft', '3 kg'])('is none in %j', (text) => {
    expect(amount(text)).toBeNull();
  });

  test('of what is free is zero', () => {
    expect(amount('FREE!')).toBe('0');
    expect(amount('kostenlos')).toBe('0');
  });

  test('keeps every digit that was written', () => {
    expect(amount('$0.10000000000000000555')).toBe('0.10000000000000000555');
    expect(amount('98765432109876543210.99 EUR')).toBe('98765432109876543210.99');
  });

  test('has the decimals of its currency', () => {
    expect(amount('KWD 4.750')).toBe('4.750');
    expect(amount('12,500 DT')).toBe('12.500');
    expect(amount('JPY 4,750')).toBe('4750');
    expect(amount('$4.750')).toBe('4750');
  });

  test('follows separators that are known', () => {
    expect(parsePrice('1.234', { separators: { decimal: '.' } }).amount).toBe('1.234');
    expect(parsePrice('1.234,567', { separators: { decimal: ',' } }).amount).toBe('1234.567');
    expect(parsePrice('12.50', { separators: { group: '.' } }).amount).toBe('1250');
  });
});

describe('the currency', () => {
  test.each([
    ['US$ 5', 'US$', 'USD'],
    ['$ SGD5', 'SGD', 'SGD'],
    ['5 руб.', 'руб.', null],
    ['Rs.5,000', 'Rs.', null],
    ['S/.5', 'S/.', 'PEN'],
    ['5 Kč', 'Kč', 'CZK'],
    ['100円', '円', 'JPY'],
    ['5 د.إ', 'د.إ', 'AED'],
    ['5 euros', 'euros', 'EUR'],
    ['eur 5', 'eur', 'EUR'],
    ['5', null, null],
    ['ALL 5', 'ALL', 'ALL'],
    ['You may try it on in all 5 sizes', null, null],
    ['5 Xyz', 'Xyz', null],
    ['5 each', null, null],
  ])('in %s is %s, %s', (text, currencyText, currency) => {
    expect(parsePrice(text)).toMatchObject({ currencyText, currency });
  });

  test('of a mark that several share is decided by the region', () => {
    expect(parsePrice('$5').currency).toBeNull();
    expect(parsePrice('$5', { region: 'CA' }).currency).toBe('CAD');
    expect(parsePrice('5 kr', { region: 'NO' }).currency).toBe('NOK');
    expect(parsePrice('5 руб.', { region: 'BY' }).currency).toBe('BYN');
    expect(parsePrice('€5', { region: 'US' }).currency).toBe('EUR');
  });

  test('comes from the hint where the price has none, or one that says less', () => {
    expect(parsePrice('5', { currency: 'EUR' }).currency).toBe('EUR');
    expect(parsePrice('5', { currency: 'was 10,00 zł' }).currency).toBe('PLN');
    expect(parsePrice('$5', { currency: 'AUD' }).currency).toBe('AUD');
    expect(parsePrice('£5', { currency: 'AUD' }).currency).toBe('GBP');
    expect(parsePrice('5', { currency: 'Please try again later' }).currencyText).toBeNull();
  });
});

/** What the locales of the world write, by Unicode's own data. */
describe('a price as Unicode writes it', () => {
  const locales = ['en-US', 'en-IN', 'de-DE', 'de-CH', 'fr-FR', 'es-ES', 'es-CL', 'pt-BR', 'sv-SE', 'pl-PL', 'cs-CZ', 'hu-HU', 'ru-RU', 'tr-TR', 'he-IL', 'ar-EG', 'fa-IR', 'hi-IN', 'bn-BD', 'th-TH', 'vi-VN', 'id-ID', 'zh-CN', 'ja-JP', 'ko-KR']; // biome-ignore format: a list of words
  const codes = ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'SEK', 'PLN', 'CZK', 'HUF', 'RUB', 'UAH', 'TRY', 'ILS', 'INR', 'CNY', 'KRW', 'VND', 'IDR', 'BRL', 'CLP', 'KWD', 'ZAR', 'AED', 'THB']; // biome-ignore format: a list of words

  test.each(locales)('in %s is read back to the digit', (locale) => {
    for (const currency of codes)
      for (const currencyDisplay of ['symbol', 'code'] as const) {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay });
        const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
        for (const value of [0.5, 5, 12.34, 999, 1_234, 1_234.5, 98_765.43, 1_234_567]) {
          const text = format.format(value);
          const read = parsePrice(text);
          expect([text, Number(read.amount)]).toEqual([text, Number(value.toFixed(digits))]);
          if (currencyDisplay === 'code') expect([text, read.currency]).toEqual([text, currency]);
        }
      }
  });
});

describe('any text', () => {
  test('is read without an error, into a decimal or nothing', () => {
    const pieces = fc.constantFrom('€', '$', 'kr', 'Rs.', '1', '23', '456', '.', ',', ' ', "'", '-', '%', 'ft', '٣', '\ud800', 'EUR', ' '); // biome-ignore format: a list of pieces
    const text = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.option(text), (price, currency) => {
        const read = parsePrice(price, { currency });
        if (read.amount !== null) expect(read.amount).toMatch(/^(?:0|[1-9]\d*)(?:\.\d+)?$/);
        if (read.currency !== null) expect(read.currency).toMatch(/^[A-Z]{3}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '1'.repeat(2_000_000),
    '1 '.repeat(1_000_000),
    '$'.repeat(2_000_000),
    '1.'.repeat(1_000_000),
    'kr '.repeat(700_000),
  ])('takes no longer for being long: %#', (text) => {
    const before = process.cpuUsage();
    parsePrice(text, { currency: text });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });
});
