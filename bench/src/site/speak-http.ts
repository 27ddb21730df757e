import type { Socket } from 'node:net';

const endOfHead = '\r\n\r\n';

/**
 * As much HTTP as crawlers need, straight on a socket: node:http would cost as much as the crawlers that are measured.
 * `onRequest` gets the path of each request and writes the answer.
 */
export function readRequests(socket: Socket, onRequest: (path: string) => void): void {
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    rest += data;
    for (let end = rest.indexOf(endOfHead); end >= 0; end = rest.indexOf(endOfHead)) {
      const path = rest.slice(rest.indexOf(' ') + 1, rest.indexOf(' ', 5));
      rest = rest.slice(end + endOfHead.length);
      onRequest(path);
    }
  });
}

/** A page with the headers that nginx has for a file. */
export function pageAnswer(html: string): Buffer {
  return answer(
    '200 OK',
    {
      server: 'site',
      date: new Date().toUTCString(),
      'content-type': 'text/html; charset=utf-8',
      'last-modified': 'Sun, 15 Nov 2026 00:00:00 GMT',
      connection: 'keep-alive',
      etag: `"6918a100-${html.length.toString(16)}"`,
      'accept-ranges': 'bytes',
    },
    html,
  );
}

/** Any other answer: the status with its reason, and a line of text. */
export function shortAnswer(status: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  return answer(status, { 'content-type': 'text/plain', ...headers }, `${status}\n`);
}

function answer(status: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status}`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return Buffer.from(`${head}${endOfHead}${body}`);
}
