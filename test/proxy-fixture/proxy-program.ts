// A reverse proxy as people put one in front: it does TLS, or not, and asks the server by the server's own name.
import { createServer, type RequestListener, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate } from '../../packages/server/src/web/fetch/testing/certificate.ts';

let target: URL | undefined;
const pass: RequestListener = (incoming, outgoing) => {
  if (!target) {
    outgoing.writeHead(502).end();
    return;
  }
  const { host, hostname, port } = target;
  const headers = { ...incoming.headers, host };
  const asked = request(
    { hostname, port, path: incoming.url, method: incoming.method, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  asked.on('error', () => outgoing.destroy());
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
};

const secure = process.argv[2] === 'tls';
const server = secure ? createSecureServer(certificate, pass) : createServer(pass);
process.on('message', (address: string) => {
  target = new URL(address);
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http${secure ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
