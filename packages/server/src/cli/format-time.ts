const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** "3 min ago", "in 2 h", "now". */
export function formatAgo(time: Date, now = Date.now()): string {
  const seconds = Math.round((now - time.getTime()) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['s', 1];
  const amount = `${Math.round(Math.abs(seconds) / size)} ${unit}`;
  if (seconds === 0) return 'now';
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}
