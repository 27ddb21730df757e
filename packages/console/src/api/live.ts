import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

export type Liveness = 'live' | 'polling' | 'paused';

/**
 * Keeps queries fresh with the event stream: changed data is refetched, at most about once a second. Without a stream,
 * queries are polled. Pauses while the tab is hidden or `paused` (rows are selected), and catches up afterwards.
 */
export function useLive(
  path: string,
  keys: readonly QueryKey[],
  { paused = false, atMostEveryMs = 1_000 } = {},
): Liveness {
  const client = useQueryClient();
  const [connected, setConnected] = useState(false);
  const [hidden, setHidden] = useState(document.hidden);
  const latestKeys = useRef(keys);
  latestKeys.current = keys;

  useEffect(() => {
    const update = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);

  const resting = hidden || paused;
  useEffect(() => {
    if (resting) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        // A request in progress is completed and then repeated: otherwise a long search would never end.
        for (const queryKey of latestKeys.current)
          if (client.isFetching({ queryKey }) > 0) refresh();
          else void client.invalidateQueries({ queryKey });
      }, atMostEveryMs);
    };
    refresh();
    const source = new EventSource(path);
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    for (const kind of ['transition', 'progress', 'reset']) source.addEventListener(kind, refresh);
    const poll = setInterval(() => {
      if (source.readyState !== EventSource.OPEN) refresh();
    }, 5_000);
    return () => {
      source.close();
      clearInterval(poll);
      clearTimeout(timer);
    };
  }, [client, path, resting, atMostEveryMs]);
  return resting ? 'paused' : connected ? 'live' : 'polling';
}
