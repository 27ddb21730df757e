import { useSyncExternalStore } from 'react';
import { RequestFailed } from './request.ts';

/** Whether the last request got no response. */
let isAway = false;
const watchers = new Set<() => void>();

/** Call for every response, and for every error without one. */
export function noticeAnswer(error?: Error): void {
  const isAwayNow = error instanceof RequestFailed && error.code === 'unreachable';
  if (isAwayNow === isAway) return;
  isAway = isAwayNow;
  for (const notify of watchers) notify();
}

/** True while the server does not respond, so that the displayed data may be stale. */
export function useIsAway(): boolean {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => isAway,
  );
}
