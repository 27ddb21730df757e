import { useSyncExternalStore } from 'react';
import { RequestFailed } from './request.ts';

/** Whether the last answer was that there is none. */
let isAway = false;
const watchers = new Set<() => void>();

/** Told of every answer, and of every error in its place. */
export function noticeAnswer(error?: Error): void {
  const isAwayNow = error instanceof RequestFailed && error.code === 'unreachable';
  if (isAwayNow === isAway) return;
  isAway = isAwayNow;
  for (const tell of watchers) tell();
}

/** True while the server does not answer, and what is shown may be old. */
export function useIsAway(): boolean {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => isAway,
  );
}
