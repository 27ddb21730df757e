import { useEffect, useState } from 'react';

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** "3 min ago", "in 2 hr": whole steps, so that it does not flicker. */
function relativeTime(at: Date, now = Date.now()): string {
  const seconds = (at.getTime() - now) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length || unit === 'second')
      return words.format(Math.trunc(seconds / length), unit);
  }
  return '';
}

/** "16 Nov 2026, 10:31:07", for those who point at a time. */
export function exactTime(at: Date): string {
  return exact.format(at);
}

/** The time, kept up to date by the second; every component that counts shares one clock's rhythm. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A time as people say it, with the exact one on hover. */
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
