import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserForTests, openTestPool, renderRequest, type TestPool } from './testing/open-pool.ts';

const program = await browserForTests();
const never = new AbortController().signal;

let origin: Server;
let url: string;
let answers: Record<string, (incoming: IncomingMessage, answer: ServerResponse) => void>;
let opened: TestPool;

beforeAll(async () => {
  answers = {};
  origin = createServer((incoming, answer) => {
    const handler = answers[incoming.url ?? ''];
    if (handler) handler(incoming, answer);
    else answer.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  if (program) opened = await openTestPool(program, [url]);
});
afterAll(async () => {
  await opened?.close();
  origin.closeAllConnections();
  origin.close();
});

function script(text: string): string {
  return `<!DOCTYPE html><title>t</title><body><script>${text}</script></body>`;
}

describe.skipIf(!program)('a rendered page', { timeout: 120_000 }, () => {
  test('holds what its scripts made, loaded and put into shadow trees', async () => {
    answers['/data'] = (_, answer) => answer.end('lazy data');
    const page = await opened.pool.render(
      renderRequest(
        `${url}/`,
        script(`
          const host = document.createElement('my-card');
          host.append('slotted text');
          host.attachShadow({ mode: 'open' }).innerHTML = '<p>shadow text <slot></slot></p>';
          document.body.append(host);
          fetch('/data').then((answer) => answer.text()).then((text) => document.body.append(text));
        `),
      ),
      never,
    );
    expect(page.html).toMatch(/^<!DOCTYPE html>/);
    expect(page.html).toContain('<p>shadow text slotted text</p>');
    expect(page.html).toContain('lazy data');
    expect(page).toMatchObject({ redirect: undefined, isCut: false, refused: 0 });
  });

  test('starts from the answer that was fetched, with its cookies, and does not ask for it again', async () => {
    let asked = 0;
    answers['/once'] = (_, answer) => {
      asked++;
      answer.end();
    };
    const page = await opened.pool.render(
      renderRequest(
        `${url}/once`,
        script('document.body.append(document.cookie)'),
        {},
        { 'set-cookie': 'a=1' },
      ),
      never,
    );
    expect(page.html).toContain('a=1');
    expect(asked).toBe(0);
  });

  test.each([
    ['a script', script("location.href = '/elsewhere'")],
    ['a meta refresh', '<meta http-equiv="refresh" content="0; url=/elsewhere">'],
    ['a form', '<form action="/elsewhere"></form><script>document.forms[0].submit()</script>'],
  ])('reports a redirect by %s instead of following it', async (_, html) => {
    let asked = 0;
    answers['/elsewhere'] = (__, answer) => {
      asked++;
      answer.end();
    };
    const page = await opened.pool.render(renderRequest(`${url}/`, html), never);
    expect(page.redirect).toMatch(`${url}/elsewhere`);
    expect(asked).toBe(0);
  });

  test('loads no images, fonts or media unless it is told to', async () => {
    const asked: string[] = [];
    for (const path of ['/i.png', '/f.woff2', '/s.css'])
      answers[path] = (_, answer) => {
        asked.push(path);
        answer.setHeader('content-type', path === '/s.css' ? 'text/css' : 'image/png').end();
      };
    const html = '<link rel=stylesheet href=/s.css><img src=/i.png><p>text';
    await opened.pool.render(renderRequest(`${url}/`, html), never);
    expect(asked).toEqual(['/s.css']);
    await opened.pool.render(renderRequest(`${url}/`, html, { loadEverything: true }), never);
    expect(asked).toContain('/i.png');
  });

  test('that never rests is taken as it stands', async () => {
    const page = await opened.pool.render(
      renderRequest(`${url}/`, script('setInterval(() => document.body.append("."), 10)'), {
        timeoutMs: 4_000,
      }),
      never,
    );
    expect(page.html).toContain('...');
    expect(page.isCut).toBe(true);
  });

  test('waits for a selector, does its actions, and takes a picture', async () => {
    const html = `<button onclick="setTimeout(() => { const p = document.createElement('p'); p.id = 'done'; p.textContent = 'clicked ' + document.querySelector('input').value; document.body.append(p) }, 300)">go</button><input>`;
    const page = await opened.pool.render(
      renderRequest(`${url}/`, html, {
        actions: [
          { type: 'type', selector: 'input', text: 'typed' },
          { type: 'click', selector: 'button' },
          { type: 'wait', selector: '#done' },
        ],
        screenshot: 'viewport',
      }),
      never,
    );
    expect(page.html).toContain('clicked typed');
    expect(page.screenshot?.subarray(1, 4).toString()).toBe('PNG');
  });

  test('fails with the name of an action that cannot be done', async () => {
    const rendering = opened.pool.render(
      renderRequest(`${url}/`, '<p>x', { timeoutMs: 3_000, actions: [{ type: 'click', selector: '#none' }] }),
      never,
    );
    await expect(rendering).rejects.toMatchObject({
      code: 'action_failed',
      detail: expect.stringContaining('#none'),
    });
  });

  test('with an endless script fails alone, and its neighbours do not', async () => {
    const [hung, fine] = await Promise.allSettled([
      opened.pool.render(renderRequest(`${url}/`, script('for (;;);'), { timeoutMs: 3_000 }), never),
      opened.pool.render(renderRequest(`${url}/`, script('document.body.append("fine")')), never),
    ]);
    expect(hung).toMatchObject({ status: 'rejected', reason: { code: 'render_timeout' } });
    expect(fine).toMatchObject({ status: 'fulfilled', value: { html: expect.stringContaining('fine') } });
  });

  test('whose browser dies is rendered again, and fails when that one dies as well', async () => {
    const killed = new Set<number>();
    const killNext = async () => {
      const alive = () => [...opened.pids].find((pid) => !killed.has(pid));
      await vi.waitUntil(() => alive() !== undefined, { timeout: 30_000, interval: 5 });
      const pid = alive() ?? 0;
      killed.add(pid);
      process.kill(-pid, 'SIGKILL');
    };
    await opened.pool.render(renderRequest(`${url}/`, '<p>there is a browser'), never);
    const restless = script('setInterval(() => document.body.append("."), 10)');
    const first = opened.pool.render(renderRequest(`${url}/`, restless, { timeoutMs: 3_000 }), never);
    await killNext();
    expect((await first).html).toContain('...');
    const second = opened.pool.render(renderRequest(`${url}/`, restless), never);
    const failed = expect(second).rejects.toMatchObject({ code: 'render_failed' });
    await killNext();
    await killNext();
    await failed;
    const page = await opened.pool.render(renderRequest(`${url}/`, '<p>another'), never);
    expect(page.html).toContain('another');
  });

  test('is not rendered any more once nobody wants it', async () => {
    const wanted = new AbortController();
    const rendering = opened.pool.render(renderRequest(`${url}/`, script('for (;;);')), wanted.signal);
    wanted.abort(new Error('not wanted'));
    await expect(rendering).rejects.toThrow('not wanted');
  });
});

describe.skipIf(!program)('a page that tries to reach a private network', { timeout: 120_000 }, () => {
  test('reaches nothing, by any way that a browser has', async () => {
    let connections = 0;
    const victim = createTcpServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(victim, 'listening');
    const { port } = victim.address() as AddressInfo;
    const udp = createSocket('udp4');
    udp.on('message', () => connections++);
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    const target = `127.0.0.1:${port}`;
    for (const [name, location] of Object.entries({
      redirect: `http://${target}/r`,
      file: 'file:///etc/passwd',
    }))
      answers[`/${name}`] = (_, answer) => answer.writeHead(302, { location }).end();
    answers['/worker.js'] = (_, answer) =>
      answer
        .setHeader('content-type', 'text/javascript')
        .end(
          `fetch('http://${target}/w').catch(() => {}); new WebSocket('ws://${target}/ww'); importScripts('http://${target}/i');`,
        );
    answers['/ws-redirect'] = (_, answer) =>
      answer.writeHead(302, { location: `http://${target}/wsr` }).end();
    const html = `
      <link rel="dns-prefetch" href="//${target}"><link rel="preconnect" href="http://${target}">
      <link rel="prefetch" href="http://${target}/prefetch"><link rel="prerender" href="http://${target}/prerender">
      <link rel="modulepreload" href="http://${target}/m.js"><link rel="stylesheet" href="http://${target}/c.css">
      <style>@import url('http://${target}/import.css'); body { background: url('http://${target}/b.png') } @font-face { font-family: x; src: url('http://${target}/f') } p { font-family: x }</style>
      <p>text</p><img src="http://${target}/img"><img src="/redirect"><iframe src="http://${target}/frame"></iframe>
      <iframe src="/redirect"></iframe><iframe src="/file"></iframe><iframe src="file:///etc/passwd"></iframe>
      <object data="http://${target}/o"></object><embed src="http://${target}/e"><video src="http://${target}/v"></video>
      <a id="ping" href="#x" ping="http://${target}/ping">x</a>
      <form id="f" method="post" action="http://${target}/form" target="i"></form><iframe name="i"></iframe>
      <script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["http://${target}/s"] }] }</script>
      <script>
        const quietly = (act) => { try { const done = act(); done?.catch?.(() => {}); } catch {} };
        quietly(() => fetch('http://${target}/fetch', { mode: 'no-cors' }));
        quietly(() => fetch('/redirect', { mode: 'no-cors' }));
        quietly(() => new WebSocket('ws://${target}/ws'));
        quietly(() => new EventSource('http://${target}/es'));
        quietly(() => navigator.sendBeacon('http://${target}/beacon', 'x'));
        quietly(() => navigator.serviceWorker.register('/worker.js'));
        quietly(() => new Worker('/worker.js'));
        quietly(() => new SharedWorker('/worker.js'));
        quietly(() => window.open('http://${target}/popup'));
        quietly(() => document.getElementById('f').submit());
        quietly(() => document.getElementById('ping').click());
        quietly(() => { const x = new XMLHttpRequest(); x.open('POST', 'http://${target}/x'); x.send(); });
        quietly(() => { new WebTransport('https://${target}/wt'); });
        quietly(() => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${target}' }, { urls: 'turn:${target}?transport=tcp', username: 'a', credential: 'b' }] });
          peer.createDataChannel('x');
          return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        });
        quietly(() => import('http://${target}/module.js'));
      </script>`;
    const page = await opened.pool.render(
      renderRequest(`${url}/`, html, { loadEverything: true, waitFor: 2_000, timeoutMs: 15_000 }),
      never,
    );
    expect(page.html).not.toContain('root:');
    expect(page.refused).toBeGreaterThan(5);
    expect(connections).toBe(0);
    udp.close();
    victim.close();
  });
});
