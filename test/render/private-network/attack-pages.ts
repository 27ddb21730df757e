/** Pages that try to reach places by every way that a browser has. */

export interface AttackPage {
  readonly name: string;
  readonly html: string;
  /** Clicked, so that the page acts with the user's consent: popups need one. */
  readonly click?: string;
}

/** Asks our site for a redirect to the target. */
const redirectTo = (target: string) => `/to?${encodeURIComponent(target)}`;

/** Ways that stand in the markup. `way` names each of them in the target's query, where the victim reads it. */
function markup(target: string, way: (name: string) => string): string {
  return `
    <link rel="dns-prefetch" href="${target}"><link rel="preconnect" href="${target}">
    <link rel="prefetch" href="${way('prefetch')}"><link rel="prerender" href="${way('prerender')}">
    <link rel="preload" as="fetch" href="${way('preload')}"><link rel="modulepreload" href="${way('modulepreload')}">
    <link rel="stylesheet" href="${way('stylesheet')}"><link rel="icon" href="${way('icon')}">
    <link rel="manifest" href="${way('manifest')}">
    <style>@import url('${way('import')}'); p { background: url('${way('background')}'); font-family: f }
      @font-face { font-family: f; src: url('${way('font')}') }</style>
    <img src="${way('img')}" srcset="${way('srcset')} 2x"><img src="${redirectTo(way('img-redirect'))}">
    <iframe src="${way('iframe')}"></iframe><iframe src="${redirectTo(way('iframe-redirect'))}"></iframe>
    <object data="${way('object')}"></object><embed src="${way('embed')}"><video src="${way('video')}"></video>
    <audio src="${way('audio')}"></audio><svg><image href="${way('svg')}"/></svg>
    <script src="${way('script')}"></script>
    <iframe srcdoc="<form method=post action='${way('form')}'></form><script>document.forms[0].submit()</script>"></iframe>
    <iframe srcdoc="<form method=post action='${redirectTo(way('form-redirect'))}'></form><script>document.forms[0].submit()</script>"></iframe>
    <a class="ping" href="#x" ping="${way('ping')}">x</a>`;
}

/** Ways that a script has. Runs in the page, with `targets` there. */
const script = `
  const quietly = (act) => { try { act()?.catch?.(() => {}); } catch {} };
  for (const target of targets) {
    const way = (name) => target + (target.includes('?') ? '&' : '?') + 'way=' + name;
    const to = (url) => '/to?' + encodeURIComponent(url);
    const socket = (name) => way(name).replace(/^http/, 'ws');
    quietly(() => fetch(way('fetch'), { mode: 'no-cors' }));
    quietly(() => fetch(to(way('fetch-redirect')), { mode: 'no-cors' }));
    quietly(() => fetch(to(way('post-redirect')), { mode: 'no-cors', method: 'POST', body: 'x' }));
    quietly(() => fetch(way('keepalive'), { mode: 'no-cors', keepalive: true }));
    quietly(() => { const x = new XMLHttpRequest(); x.open('POST', way('xhr')); x.send('x'); });
    quietly(() => { new WebSocket(socket('websocket')); });
    quietly(() => { new WebSocket(to(way('websocket-redirect')).replace(/^/, location.origin.replace('http', 'ws'))); });
    quietly(() => { new EventSource(way('eventsource')); });
    quietly(() => { navigator.sendBeacon(way('beacon'), 'x'); });
    quietly(() => { new Worker('/worker.js?' + encodeURIComponent(target)); });
    quietly(() => { new SharedWorker('/worker.js?' + encodeURIComponent(target)); });
    quietly(() => navigator.serviceWorker.register('/worker.js?' + encodeURIComponent(target)));
    quietly(() => import(way('module')));
    quietly(() => { new Image().src = way('image'); });
    quietly(() => { new WebTransport(way('webtransport').replace(/^http:/, 'https:')); });
    quietly(() => { const rules = document.createElement('script'); rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({ prefetch: [{ source: 'list', urls: [way('speculation')] }], prerender: [{ source: 'list', urls: [way('speculation-prerender')] }] });
      document.head.append(rules); });
    quietly(() => new FontFace('f2', 'url(' + way('fontface') + ')').load());
    quietly(() => { document.body.style.maskImage = 'url(' + way('mask') + ')'; });
    quietly(() => {
      const host = new URL(target).hostname, port = new URL(target).port || 80;
      const peer = new RTCPeerConnection({ iceServers: [
        { urls: 'stun:' + host + ':' + port },
        { urls: 'turn:' + host + ':' + port + '?transport=udp', username: 'a', credential: 'b' },
        { urls: 'turn:' + host + ':' + port + '?transport=tcp', username: 'a', credential: 'b' },
        { urls: 'turns:' + host + ':' + port + '?transport=tcp', username: 'a', credential: 'b' }] });
      peer.createDataChannel('x');
      return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    });
  }
  for (const link of document.querySelectorAll('.ping')) quietly(() => link.click());`;

/** What a worker does with the target in its URL. */
export const workerScript = `
  const target = decodeURIComponent(location.search.slice(1));
  const way = (name) => target + (target.includes('?') ? '&' : '?') + 'way=' + name;
  try { fetch(way('worker-fetch'), { mode: 'no-cors' }).catch(() => {}); } catch {}
  try { fetch('/to?' + encodeURIComponent(way('worker-redirect')), { mode: 'no-cors' }).catch(() => {}); } catch {}
  try { new WebSocket(way('worker-websocket').replace(/^http/, 'ws')); } catch {}
  try { importScripts(way('import-scripts')); } catch {}`;

const files = ['file:///etc/passwd', 'file://localhost/etc/passwd', 'view-source:file:///etc/passwd'];

/** One page that tries every way to every target, and for some targets pages that navigate there or open a window. */
export function attackPages(targets: readonly string[], navigated: readonly string[]): AttackPage[] {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const wayOf = (target: string) => (name: string) =>
    escaped(`${target}${target.includes('?') ? '&' : '?'}way=${name}`);
  const pages = navigated.flatMap((target): AttackPage[] => {
    const way = (name: string) => `${target}${target.includes('?') ? '&' : '?'}way=${name}`;
    const act = (code: string) => `<p>text</p><script>${code}</script>`;
    return [
      { name: `location ${target}`, html: act(`location.href = ${JSON.stringify(way('location'))}`) },
      {
        name: `location redirect ${target}`,
        html: act(`location.replace(${JSON.stringify(redirectTo(way('location-redirect')))})`),
      },
      {
        name: `popup ${target}`,
        click: '#go',
        html: `<button id="go">go</button><script>document.getElementById('go').onclick = () => {
          const popup = window.open(${JSON.stringify(way('popup'))}); window.open(${JSON.stringify(redirectTo(way('popup-redirect')))}); }</script>`,
      },
    ];
  });
  return [
    {
      name: 'everything at once',
      html: `<p>text</p>
        ${targets.map((target) => markup(escaped(target), wayOf(target))).join('\n')}
        ${files.map((file) => `<iframe src="${file}"></iframe><img src="${file}"><iframe src="${redirectTo(file)}"></iframe>`).join('\n')}
        <script>const targets = ${JSON.stringify(targets).replaceAll('<', '\\u003c')};${script}</script>`,
    },
    ...pages,
  ];
}
