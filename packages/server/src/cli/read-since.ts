import { InvalidArgumentError } from 'commander';

const seconds: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** `2h`, `3d` ago, or a moment such as 2030-01-31T08:00:00Z, as a moment. */
export function readSince(text: string): string {
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (amount) return new Date(Date.now() - Number(amount) * (seconds[unit] ?? 0) * 1000).toISOString();
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new InvalidArgumentError('It must be a time such as 2030-01-31T08:00:00Z, or before now: 2h, 3d.');
  return moment.toISOString();
}
