// The browser host: a child process of the supervisor that renders pages for its runners over a socket. It ends with
// its supervisor and kills its browsers.
import { createServer, type Socket } from 'node:net';
import { evaluates, HoldfastError, readConfiguration } from '@holdfast/contract';
import { createLogger } from '../base/telemetry/logger.ts';
import { BrowserPool } from './browser-pool.ts';
import { findBrowser } from './find-browser.ts';
import { GuardProxy } from './guard-proxy.ts';
import { MessageStream } from './message-stream.ts';
import { killGroup } from './process-group.ts';
import type { FromHost, HostReport, HostSettings, ToHost } from './render-messages.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as HostSettings;
const configuration = readConfiguration(process.env);
const log = await createLogger(configuration);
const groups = new Set<number>();

/** However this process ends, its browsers are killed first. */
const leave = (code: number) => {
  for (const pid of groups) killGroup(pid);
  process.exit(code);
};
// The terminal's Ctrl-C reaches the whole group; the supervisor decides what it means.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => leave(0));
if (!process.connected) leave(0);

const report = (message: HostReport) => process.connected && process.send?.(message, () => undefined);

const opened = openPool();
opened.catch(() => undefined);

async function openPool(): Promise<BrowserPool> {
  const found = await findBrowser({ configured: configuration.browser });
  if (found.path === undefined)
    throw new HoldfastError('browser_unavailable', 'there is none', { hint: found.hint });
  const { chromium } = await import('playwright-core');
  const proxy = await GuardProxy.start({ allowOrigins: configuration.allowPrivate });
  return new BrowserPool({
    ...settings,
    program: found.path,
    chromium,
    proxy,
    log,
    onStarted: (pid) => {
      groups.add(pid);
      report({ type: 'started', pid });
    },
    onEnded: (pid) => {
      groups.delete(pid);
      report({ type: 'ended', pid });
    },
  });
}

const server = createServer((socket: Socket) => {
  const renders = new Map<number, AbortController>();
  const stream = new MessageStream<FromHost, ToHost>(socket, (message) => {
    if (message.type === 'cancel') {
      renders.get(message.id)?.abort(new HoldfastError('render_failed', 'it was cancelled'));
      return;
    }
    const { id, request } = message;
    if (configuration.evaluate === 'off' && evaluates(request.options)) {
      stream.send(failed(id, evaluateRefused()));
      return;
    }
    const ended = new AbortController();
    renders.set(id, ended);
    const started = performance.now();
    const publish = (outcome: string, bytes = 0) => {
      const seconds = (performance.now() - started) / 1000;
      report({ type: 'render', event: { outcome, seconds, bytes } });
    };
    void opened
      .then((pool) => pool.render(request, ended.signal))
      .then((page) => {
        publish('rendered', page.bytes);
        stream.send({ type: 'rendered', id, page });
      })
      .catch((error) => {
        const failure = failed(id, error);
        if (failure.type === 'failed') publish(failure.code);
        stream.send(failure);
      })
      .finally(() => renders.delete(id));
  });
  socket.on('error', () => socket.destroy());
  // Pages of a dead runner are cancelled.
  socket.on('close', () => {
    for (const ended of renders.values())
      ended.abort(new HoldfastError('render_failed', 'its runner is gone'));
  });
});

/** Jobs may be older than the setting, or have been inserted by plain SQL. */
function evaluateRefused(): HoldfastError {
  return new HoldfastError('action_failed', 'evaluate is turned off on this worker (HOLDFAST_EVALUATE)', {
    hint: 'Leave the action out, or ask the operator to allow it.',
  });
}

function failed(id: number, error: unknown): FromHost {
  const { code, detail, hint } =
    error instanceof HoldfastError
      ? error
      : new HoldfastError('render_failed', (error as Error).message?.slice(0, 300));
  return { type: 'failed', id, code, detail, hint };
}

server.listen(settings.socket, () => report({ type: 'ready' }));

const idle = { browsers: 0, memoryBytes: 0, waiting: 0 };
let pool: BrowserPool | undefined;
opened.then(
  (open) => {
    pool = open;
  },
  () => undefined,
);
setInterval(() => {
  const { browsers: running, memoryBytes, waiting } = pool ?? idle;
  report({ type: 'status', browsers: { running, memoryBytes, waiting } });
}, 1_000).unref();
