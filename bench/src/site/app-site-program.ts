// A site in a process of its own: pages that a script makes of data that it asks for, and pages that come complete.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AppSiteTask {
  /** Pages /app/0 to /app/n that need JavaScript. */
  readonly apps: number;
  /** Pages /text/0 to /text/n that do not. */
  readonly texts: number;
}

const { apps, texts } = JSON.parse(process.argv[2] ?? '') as AppSiteTask;
/** As long as the data of a quick server takes. */
const dataMs = 20;
const words = (name: string) => `The words of ${name} are told here for whoever reads them. `.repeat(40);

/** About as large as the bundle of a small app; most of it is never called, as in those. */
const unused = Array.from(
  { length: 600 },
  (_, n) => `function part${n}(a){return a.map((b)=>b*${n}+a.length)}`,
).join('\n');
const script = `${unused}
const root = document.getElementById('root');
const draw = ({ title, text, links }) => {
  document.title = title;
  const main = document.createElement('main');
  main.innerHTML = '<h1></h1><p></p><ul></ul>';
  main.querySelector('h1').textContent = title;
  main.querySelector('p').textContent = text;
  main.querySelector('ul').append(...links.map((link) => {
    const item = document.createElement('li');
    const anchor = document.createElement('a');
    anchor.href = link;
    anchor.textContent = link;
    item.append(anchor);
    return item;
  }));
  root.replaceChildren(main);
};
fetch('/data' + location.pathname).then((answer) => answer.json()).then(draw);`;

const shell = `<!doctype html><html lang="en"><head><title>App</title><link rel="stylesheet" href="/app.css"></head>
<body><div id="root"></div><img src="/logo.png" alt=""><script src="/app.js" defer></script></body></html>`;

/** A tree, so that each page is found, and a few links across. */
function linksOf(kind: string, n: number, count: number): string[] {
  const below = [2 * n + 1, 2 * n + 2].filter((page) => page < count);
  return [...below, ...Array.from({ length: 8 }, (_, at) => (n * 31 + at * 97) % count)].map(
    (page) => `/${kind}/${page}`,
  );
}

function written(n: number): string {
  const links = linksOf('text', n, texts).map((link) => `<li><a href="${link}">${link}</a></li>`);
  return `<!doctype html><html lang="en"><head><title>Text ${n}</title></head><body><main><h1>Text ${n}</h1>
<p>${words(`text ${n}`)}</p><ul>${links.join('')}</ul></main><script src="/counter.js" async></script></body></html>`;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const [, isData, kind, number = ''] = /^(\/data)?\/(app|text)\/(\d+)$/.exec(request.url ?? '') ?? [];
  const n = Number(number);
  const send = (type: string, body: string | Buffer) =>
    response.writeHead(200, { 'content-type': type }).end(body);
  if (isData && kind === 'app')
    setTimeout(
      () =>
        send(
          'application/json',
          JSON.stringify({ title: `App ${n}`, text: words(`app ${n}`), links: linksOf('app', n, apps) }),
        ),
      dataMs,
    );
  else if (kind === 'app' && n < apps) send('text/html; charset=utf-8', shell);
  else if (kind === 'text' && n < texts) send('text/html; charset=utf-8', written(n));
  else if (request.url === '/app.js') {
    // Its name does not change, so a browser may keep it.
    response.setHeader('cache-control', 'max-age=3600');
    send('text/javascript', script);
  } else if (request.url === '/app.css') send('text/css', 'main { max-width: 40rem }');
  else if (request.url === '/counter.js') send('text/javascript', 'window.count = 1;');
  else if (request.url === '/logo.png') send('image/png', Buffer.alloc(20_000));
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.once('disconnect', () => process.exit());
