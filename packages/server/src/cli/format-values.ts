import type { Waiting } from '@holdfast/contract';

/** 1204 → "1,204" */
export function formatCount(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 page", "1,204 pages" */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** "3.2 s", "14 s", "2 min 5 s", "1 h 3 min" */
export function formatDuration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return pair(Math.floor(whole / 60), 'min', whole % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(seconds / 3_600);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** "840 B", "12.4 kB", "3.1 GB" */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000;
    unit++;
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** "84" or "3.2", per second */
export function formatRate(perSecond: number): string {
  return perSecond >= 9.95 ? formatCount(perSecond) : perSecond.toFixed(1);
}

const timeUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** "3 min ago", "in 2 h", "now". */
export function formatAgo(time: Date, now = Date.now()): string {
  const seconds = Math.round((now - time.getTime()) / 1000);
  const [unit, size] = timeUnits.find(([, size]) => Math.abs(seconds) >= size) ?? ['s', 1];
  const amount = `${Math.round(Math.abs(seconds) / size)} ${unit}`;
  if (seconds === 0) return 'now';
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}

/** "2 w", "7 d", "90 min": hours in the largest unit that fits exactly. */
export function formatFrequency(frequency: number): string {
  for (const [unit, size] of [
    ['w', 168],
    ['d', 24],
    ['h', 1],
  ] as const)
    if (frequency >= size && frequency % size === 0) return `${frequency / size} ${unit}`;
  return frequency < 1 ? `${Number((frequency * 60).toFixed(1))} min` : `${frequency} h`;
}

/** "2030-01-31T08:00:00.000Z (in 2 h)" */
export function formatMoment(at: Date): string;
export function formatMoment(at: Date | null): string | null;
export function formatMoment(at: Date | null): string | null {
  return at && `${at.toISOString()} (${formatAgo(at)})`;
}

/** Why a job waits, until when, and what ends the wait. */
export function formatWait({ text, until, ends }: Waiting): string {
  return `${until ? `${text}, until ${formatMoment(until)}` : text}. ${ends}`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
