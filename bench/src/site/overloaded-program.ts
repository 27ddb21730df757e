// An origin with a true capacity: a token bucket, refilled at a rate that follows a schedule. What finds it empty is refused.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serveLog } from './origin.ts';
import type { OriginAnswer, OverloadedTask } from './overloaded-task.ts';
import { growingLinks, makePage, pageAt } from './page-maker.ts';
import { pageAnswer, readRequests, shortAnswer } from './speak-http.ts';
import { TokenBucket } from './token-bucket.ts';

/** Pages that lead to each other; each leads to one more that nobody has seen yet, so that no crawl runs dry. */
const knownPages = 2_000;

const task = JSON.parse(process.argv[2] ?? '') as OverloadedTask;
const links = growingLinks(knownPages);
const bucket = new TokenBucket(task.phases, task.burst);
const log: OriginAnswer[] = [];
const refusal = shortAnswer(
  task.refusal === 429 ? '429 Too Many Requests' : '503 Service Unavailable',
  task.retryAfter === undefined ? {} : { 'retry-after': String(task.retryAfter) },
);
const notFound = shortAnswer('404 Not Found');
let startedAt: number | undefined;

const server = createServer({ noDelay: true }, (socket) => {
  readRequests(socket, async (path) => {
    startedAt ??= performance.now();
    const atMs = performance.now() - startedAt;
    const served = bucket.take(atMs);
    log.push({ atMs, served });
    if (!served) {
      socket.write(refusal);
      return;
    }
    await delay(task.delayMs);
    const page = pageAt(path);
    if (!socket.destroyed)
      socket.write(page === undefined ? notFound : pageAnswer(makePage(page, links).html));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
serveLog((server.address() as AddressInfo).port, log);
