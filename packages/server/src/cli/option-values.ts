import { InvalidArgumentError } from 'commander';

const seconds: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

const directions = {
  ago: { sign: -1, examples: 'before now: 2h, 3d' },
  ahead: { sign: 1, examples: 'from now: 90d, 12h' },
} as const;

/** `12h`, `90d` ago or ahead of now, or a moment such as 2030-01-31T08:00:00Z, as a moment. */
export function readMoment(text: string, direction: keyof typeof directions): string {
  const { sign, examples } = directions[direction];
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (amount) return new Date(Date.now() + sign * Number(amount) * (seconds[unit] ?? 0) * 1000).toISOString();
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new InvalidArgumentError(`It must be a time such as 2030-01-31T08:00:00Z, or ${examples}.`);
  return moment.toISOString();
}
