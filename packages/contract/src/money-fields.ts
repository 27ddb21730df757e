import { z } from 'zod';
import { decimalText } from './decimal-text.ts';

/** What somebody paid, what somebody asks, what somebody offers. */
export const priceTypes = ['sold', 'ask', 'bid'] as const;
export type PriceType = (typeof priceTypes)[number];

/** An amount of money as text: a number in JSON has passed through a float before anyone here could read it. */
export const decimalPrice = z
  .string()
  .max(50)
  .refine((text) => {
    const decimal = decimalText(text);
    return decimal !== undefined && !decimal.startsWith('-');
  }, 'must be a decimal number of at least 0 as text, such as "19.99"')
  .overwrite((text) => decimalText(text) ?? text)
  .meta({ examples: ['19.99'] });

export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be three letters, such as USD')
  .overwrite((code) => code.toUpperCase())
  .meta({ examples: ['USD'] });

/** From 0 to 1 with up to three digits behind the point, as text. */
export const strengthText = z
  .string()
  .regex(/^(0(\.\d{1,3})?|1(\.0{1,3})?)$/, 'must be a number from 0 to 1 as text, such as "0.75"')
  .meta({ examples: ['0.75'] });
