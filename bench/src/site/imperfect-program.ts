// A site of which some pages misbehave, as they do on every site.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { drawFaults, type Fault } from './imperfect-plan.ts';
import type { ImperfectTask, SentPage } from './imperfect-task.ts';
import { serveLog } from './origin.ts';
import { makePage, pageAt, pathOf, siteLinks } from './page-maker.ts';
import { pageAnswer, readRequests, shortAnswer } from './speak-http.ts';

const slowMs = 1_500;
const trickleMs = 2_000;
const tricklePieces = 20;
const movedTo = (page: number) => `/moved${pathOf(page)}`;

const task = JSON.parse(process.argv[2] ?? '') as ImperfectTask;
const links = siteLinks(task.pages);
const faults = task.seed === undefined ? new Map<number, Fault>() : drawFaults(task.seed, task.pages, links);
const pages = Array.from({ length: task.pages }, (_, page) => pageAnswer(htmlOf(page)));
const refusedBefore = new Set<number>();
const log: SentPage[] = [];
let startedAt: number | undefined;

/** Crawlers that read HTML alone are not to be told apart by what an error is written in. */
const error = (status: string, headers = {}) =>
  shortAnswer(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
const notFound = error('404 Not Found');
const gone = error('410 Gone');
const broken = error('500 Internal Server Error');
const refused = error('503 Service Unavailable', { 'retry-after': '1' });

const server = createServer({ noDelay: true }, (socket) => {
  readRequests(socket, (path) => {
    startedAt ??= performance.now();
    void answer(socket, path);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
serveLog((server.address() as AddressInfo).port, log);

/** A page that has moved names its new address as its own; of its links, the canonical one comes first. */
function htmlOf(page: number): string {
  const { html } = makePage(page, links);
  return faults.get(page) === 'moved'
    ? html.replace(`href="${pathOf(page)}"`, `href="${movedTo(page)}"`)
    : html;
}

async function answer(socket: Socket, path: string): Promise<void> {
  const hasMoved = path.startsWith('/moved/');
  const page = pageAt(hasMoved ? path.slice('/moved'.length) : path);
  const fault = page === undefined ? undefined : faults.get(page);
  await delay(fault === 'slow' ? slowMs : task.delayMs);
  if (page === undefined || page >= task.pages || (hasMoved && fault !== 'moved')) socket.write(notFound);
  else if (fault === 'broken') socket.write(broken);
  else if (fault === 'gone') socket.write(page % 2 === 0 ? notFound : gone);
  else if (fault === 'refused-once' && !refusedBefore.has(page)) {
    refusedBefore.add(page);
    socket.write(refused);
  } else if (fault === 'moved' && !hasMoved) {
    socket.write(error('301 Moved Permanently', { location: movedTo(page) }));
  } else if (fault === 'trickle') await trickle(socket, page);
  else send(socket, pages[page] as Buffer, page);
}

/** Slow, but far from standing still (7,500 bytes a second): who waits gets it whole. */
async function trickle(socket: Socket, page: number): Promise<void> {
  const bytes = pages[page] as Buffer;
  const size = Math.ceil(bytes.length / tricklePieces);
  let at = 0;
  for (; at + size < bytes.length; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await delay(trickleMs / tricklePieces);
    if (socket.destroyed) return;
  }
  send(socket, bytes.subarray(at), page);
}

/** Written down when the last byte has been handed to the network, and not if nobody was there to take it. */
function send(socket: Socket, bytes: Buffer, page: number): void {
  socket.write(bytes, (failure) => {
    if (!failure && startedAt !== undefined) log.push({ page, atMs: performance.now() - startedAt });
  });
}
