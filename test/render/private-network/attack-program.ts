// Runs in a network namespace where every address is this machine: whatever a page reaches, it reaches us, and is counted.
import { createSocket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { openTestPool, renderRequest } from '../../../packages/server/src/browser/testing/open-pool.ts';
import { attackPages, workerScript } from './attack-pages.ts';

export interface AttackOrders {
  readonly browser: string;
  readonly targets: readonly string[];
  /** These are reached, to show that a page reaches what it may. */
  readonly allowed: readonly string[];
  /** How many targets stand in one page, and how many of those pages also go to theirs. */
  readonly atOnce: number;
  readonly navigated: number;
}

export interface AttackReport {
  /** Connections, packets and DNS queries, by where they came to. */
  readonly reached: Record<string, number>;
  /** What their requests told of themselves. */
  readonly ways: readonly string[];
  readonly controls: number;
  /** Refused by the guard; as many pages were rendered as asked. */
  readonly refused: number;
  readonly pages: number;
  readonly readFile: boolean;
}

const { browser, targets, allowed, atOnce, navigated } = JSON.parse(process.argv[2] ?? '{}') as AttackOrders;
const publicAddress = '93.184.216.34';
/** Ports of the vectors, of STUN and TURN, and of a victim of our own. */
const tcpPorts = [22, 53, 80, 443, 1080, 3000, 3478, 7320, 8080];
const udpPorts = [53, 80, 443, 3000, 3478, 5353, 7320, 8080];
const sitePort = 7321;

const reached: Record<string, number> = {};
const ways = new Set<string>();
let controls = 0;
const count = (place: string) => {
  reached[place] = (reached[place] ?? 0) + 1;
};

for (const port of tcpPorts) {
  const victim = createTcpServer((socket) => {
    const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
    if (address === publicAddress) controls++;
    else count(`tcp ${address}:${port}`);
    socket.on('error', () => socket.destroy());
    socket.on('data', (piece) => {
      for (const [, way = ''] of piece.toString('latin1').matchAll(/[?&]way=([\w-]+)/g))
        if (address !== publicAddress) ways.add(way);
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  }).listen(port, '::');
  await once(victim, 'listening');
}
for (const port of udpPorts) {
  const victim = createSocket({ type: 'udp6', ipv6Only: false });
  victim.on('message', () => {
    count(`udp ${port}`);
    ways.add(`udp-${port}`);
  });
  victim.bind(port);
  await once(victim, 'listening');
}
const site = createServer((request, response) => {
  const [path, query = ''] = (request.url ?? '').split(/\?(.*)/s);
  if (path === '/to')
    response.writeHead(302, { location: Buffer.from(decodeURIComponent(query)).toString('latin1') }).end();
  else if (path === '/worker.js') response.setHeader('content-type', 'text/javascript').end(workerScript);
  else response.writeHead(404).end();
}).listen(sitePort, '127.0.0.1');
site.on('upgrade', (request, socket) => {
  const target = decodeURIComponent((request.url ?? '').split('?')[1] ?? '');
  socket.end(
    `HTTP/1.1 302 Found\r\nLocation: ${target.replaceAll(/[\r\n]/g, '')}\r\nContent-Length: 0\r\n\r\n`,
  );
});
await once(site, 'listening');

const origin = `http://127.0.0.1:${sitePort}`;
/** A name that answers with a public address first, and then with a private one. */
let asked = 0;
const { pool, close } = await openTestPool(browser, [origin, ...allowed], {}, async (name) => {
  if (name === 'example.com' || name === 'www.google.com') return [{ address: publicAddress, family: 4 }];
  if (name === 'rebind.example')
    return [{ address: asked++ % 2 === 0 ? publicAddress : '169.254.169.254', family: 4 }];
  if (name === 'mixed.example')
    return [
      { address: publicAddress, family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
  return [{ address: '169.254.169.254', family: 4 }];
});

let refused = 0;
let pages = 0;
let readFile = false;
const never = new AbortController().signal;
setMaxListeners(0, never);
const groups = Array.from({ length: Math.ceil(targets.length / atOnce) }, (_, n) =>
  targets.slice(n * atOnce, (n + 1) * atOnce),
);
await Promise.all(
  groups
    .flatMap((group, n) => attackPages(group, n === 0 ? group.slice(0, navigated) : []))
    .map(async ({ name, html, click }) => {
      const page = await pool
        .render(
          renderRequest(`${origin}/`, html, {
            loadEverything: true,
            maxRequests: 10_000,
            timeoutMs: 30_000,
            ...(click && { actions: [{ type: 'click', selector: click }] }),
            waitFor: name === 'everything at once' ? 1_000 : 100,
          }),
          never,
        )
        .catch((error: Error) => {
          process.stderr.write(`${name}: ${error.message}\n`);
          return undefined;
        });
      if (!page) return;
      pages++;
      refused += page.refused;
      readFile ||= page.html.includes('root:x:0');
    }),
);

await close();
const report: AttackReport = { reached, ways: [...ways].sort(), controls, refused, pages, readFile };
process.stdout.write(JSON.stringify(report));
process.exit(0);
