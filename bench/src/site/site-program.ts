// A web server for generated pages, in a process of its own.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { growingLinks, makePage, pageAt, pathOf, siteLinks } from './page-maker.ts';
import { pageAnswer, readRequests, shortAnswer } from './speak-http.ts';

export interface SiteTask {
  readonly pages: number;
  /**
   * ready    every page is made before the first request, and no other exists
   * growing  pages are made as they are asked for, and each leads to one that nobody has seen yet
   */
  readonly kind: 'ready' | 'growing';
  /** Where to listen, all on one port, and how long an answer takes there. */
  readonly hosts: readonly { readonly address: string; readonly delayMs: number }[];
}

const notFound = shortAnswer('404 Not Found');

const task = JSON.parse(process.argv[2] ?? '') as SiteTask;
const answerTo = task.kind === 'ready' ? readyAnswers(task.pages) : madeAnswer;
let port = 0;
for (const { address, delayMs } of task.hosts) {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, delayMs));
  server.listen(port, address);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}
process.send?.(port);
process.once('disconnect', () => process.exit());

function serve(socket: Socket, delayMs: number): void {
  readRequests(socket, (path) => {
    if (delayMs > 0) setTimeout(() => socket.write(answerTo(path)), delayMs);
    else socket.write(answerTo(path));
  });
}

function readyAnswers(pages: number): (path: string) => Buffer {
  const links = siteLinks(pages);
  const answers = new Map<string, Buffer>();
  for (let page = 0; page < pages; page++) answers.set(pathOf(page), pageAnswer(makePage(page, links).html));
  return (path) => answers.get(path) ?? notFound;
}

function madeAnswer(path: string): Buffer {
  const page = pageAt(path);
  return page === undefined ? notFound : pageAnswer(makePage(page, growingLinks(task.pages)).html);
}
