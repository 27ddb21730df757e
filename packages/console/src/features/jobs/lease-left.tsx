import { useNow } from '../../design/moment.tsx';

/** The remaining time of a lease, as a countdown. */
export function LeaseLeft({ until }: { readonly until: string | null }) {
  const now = useNow();
  if (!until) return <>–</>;
  const seconds = Math.round((Date.parse(until) - now) / 1000);
  return <>{seconds > 0 ? countdown(seconds) : 'expired'}</>;
}

export function countdown(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
