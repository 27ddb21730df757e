import { useEffect, useState } from 'react';

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** "3 min ago", "in 2 hr": whole units, so that it does not flicker. */
function relativeTime(at: Date, now = Date.now()): string {
  const seconds = (at.getTime() - now) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length || unit === 'second')
      return words.format(Math.trunc(seconds / length), unit);
  }
  return '';
}

/** "16 Nov 2026, 10:31:07", for tooltips. */
export function exactTime(at: Date): string {
  return exact.format(at);
}

/** The current time, updated every second by one shared timer. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A relative time, with the exact time on hover. */
export function Moment({ at }: { readonly at: string | null | undefined }) {
  useNow(5_000);
  if (!at) return <span title="never">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactTime(date)}>
      {relativeTime(date)}
    </time>
  );
}
