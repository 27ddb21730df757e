import { InvalidArgumentError } from 'commander';
import { readMoment } from './option-values.ts';

/** `90d`, `12h` or a moment such as 2030-01-31T08:00:00Z, as a moment. */
export function readExpiry(text: string): string {
  const moment = readMoment(text, 'ahead');
  if (Date.parse(moment) <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return moment;
}
