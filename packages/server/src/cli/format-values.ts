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

/** "84" or "3.2" a second */
export function formatRate(perSecond: number): string {
  return perSecond >= 9.95 ? formatCount(perSecond) : perSecond.toFixed(1);
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
