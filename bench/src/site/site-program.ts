// A web server for generated pages, in a process of its own. Speaks as much HTTP as crawlers need, straight on sockets:
// node:http would cost as much as the crawlers that are measured.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { growingLinks, makePage, pageAt, pathOf, siteLinks } from './page-maker.ts';

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

const notFound = Buffer.from(
  'HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nno\n',
);
const endOfHead = '\r\n\r\n';

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
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    rest += data;
    for (let end = rest.indexOf(endOfHead); end >= 0; end = rest.indexOf(endOfHead)) {
      const path = rest.slice(rest.indexOf(' ') + 1, rest.indexOf(' ', 5));
      rest = rest.slice(end + endOfHead.length);
      if (delayMs > 0) setTimeout(() => socket.write(answerTo(path)), delayMs);
      else socket.write(answerTo(path));
    }
  });
}

function readyAnswers(pages: number): (path: string) => Buffer {
  const links = siteLinks(pages);
  const answers = new Map<string, Buffer>();
  for (let page = 0; page < pages; page++) answers.set(pathOf(page), answer(makePage(page, links).html));
  return (path) => answers.get(path) ?? notFound;
}

function madeAnswer(path: string): Buffer {
  const page = pageAt(path);
  return page === undefined ? notFound : answer(makePage(page, growingLinks(task.pages)).html);
}

/** With the headers that nginx has for a file. */
function answer(html: string): Buffer {
  const head = [
    'HTTP/1.1 200 OK',
    'server: site',
    `date: ${new Date().toUTCString()}`,
    'content-type: text/html; charset=utf-8',
    `content-length: ${Buffer.byteLength(html)}`,
    'last-modified: Sun, 15 Nov 2026 00:00:00 GMT',
    'connection: keep-alive',
    `etag: "6918a100-${html.length.toString(16)}"`,
    'accept-ranges: bytes',
  ];
  return Buffer.from(`${head.join('\r\n')}${endOfHead}${html}`);
}
