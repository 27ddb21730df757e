import { fork } from 'node:child_process';
import { once } from 'node:events';

/** An origin in a process of its own that writes down what it answered: its log judges the crawlers. */
export interface Origin<Entry> {
  readonly url: string;
  /** What it has written down so far. */
  log(): Promise<readonly Entry[]>;
  stop(): Promise<void>;
}

/** `program` is a file beside this one; it listens, and calls `serveLog`. */
export async function startOrigin<Entry>(program: string, task: unknown): Promise<Origin<Entry>> {
  const child = fork(new URL(program, import.meta.url), [JSON.stringify(task)]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    log: async () => {
      const answered = once(child, 'message');
      child.send('log');
      const [log] = await answered;
      return log as readonly Entry[];
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** The program's side: tells the port, and the log whenever it is asked for; ends with its parent. */
export function serveLog<Entry>(port: number, log: readonly Entry[]): void {
  process.on('message', () => process.send?.(log));
  process.once('disconnect', () => process.exit());
  process.send?.(port);
}
