import { InvalidArgumentError } from 'commander';

const hours: Record<string, number> = { m: 1 / 60, min: 1 / 60, h: 1, d: 24, w: 168 };

/** `30min`, `6h`, `7d`, `2w`, or a bare number of hours; in hours, as exact as a policy keeps them. */
export function readFrequency(text: string): number {
  const [, amount, unit = 'h'] = /^(\d{1,6}(?:\.\d+)?)(m|min|h|d|w)?$/.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError(
      'It must be a time such as 30min, 6h, 7d or 2w; a bare number counts hours.',
    );
  return Number((Number(amount) * (hours[unit] ?? 0)).toFixed(4));
}

/** The other way round, in the unit that people would choose. */
export function formatFrequency(frequency: number): string {
  for (const [unit, size] of [
    ['w', 168],
    ['d', 24],
    ['h', 1],
  ] as const)
    if (frequency >= size && frequency % size === 0) return `${frequency / size} ${unit}`;
  return frequency < 1 ? `${Number((frequency * 60).toFixed(1))} min` : `${frequency} h`;
}
