import { readFile } from 'node:fs/promises';
import { HoldfastError } from '@holdfast/contract';
import { InvalidArgumentError } from 'commander';

/* Values of options and arguments. Commander adds the name of the option to an InvalidArgumentError. */

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** For options that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

const secondsOf: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

const directions = {
  ago: { sign: -1, examples: 'before now: 2h, 3d' },
  ahead: { sign: 1, examples: 'from now: 90d, 12h' },
} as const;

/** A duration before or after now, such as `12h`, or a time such as 2030-01-31T08:00:00Z, as a time. */
function readMoment(text: string, direction: keyof typeof directions): string {
  const { sign, examples } = directions[direction];
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (amount)
    return new Date(Date.now() + sign * Number(amount) * (secondsOf[unit] ?? 0) * 1000).toISOString();
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new InvalidArgumentError(`It must be a time such as 2030-01-31T08:00:00Z, or ${examples}.`);
  return moment.toISOString();
}

/** `2h` or `3d` ago, or a time. */
export const readSince = (text: string): string => readMoment(text, 'ago');

/** `90d` or `12h` from now, or a time; in the future. */
export function readExpiry(text: string): string {
  const moment = readMoment(text, 'ahead');
  if (Date.parse(moment) <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return moment;
}

const hoursOf: Record<string, number> = { m: 1 / 60, min: 1 / 60, h: 1, d: 24, w: 168 };

/** `30min`, `6h`, `7d`, `2w` or a bare number of hours; in hours, with the precision that policies store. */
export function readFrequency(text: string): number {
  const [, amount, unit = 'h'] = /^(\d{1,6}(?:\.\d+)?)(m|min|h|d|w)?$/.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError(
      'It must be a time such as 30min, 6h, 7d or 2w; a plain number is in hours.',
    );
  return Number((Number(amount) * (hoursOf[unit] ?? 0)).toFixed(4));
}

/** `name`: the option or file that the text came from. */
export function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HoldfastError('bad_request', `${name} must be JSON`);
  }
}

export function readJsonObject(text: string, name: string, example: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Not JSON at all: the same message.
  }
  throw new HoldfastError('bad_request', `${name} must be a JSON object such as ${example}`);
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new HoldfastError(
      'bad_request',
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
}
