import { connect } from 'node:net';
import { pathOf } from './page-maker.ts';

const connections = 16;

/** Pages a second that a server gives to a client that reads nothing of them: what no crawler can exceed. */
export async function measureCeiling(port: number, pages: number, seconds = 2): Promise<number> {
  let answered = 0;
  const until = performance.now() + seconds * 1000;
  const client = (first: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let page = first;
      let missing = 0;
      const ask = () => {
        page = (page + connections) % pages;
        socket.write(`GET ${pathOf(page)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
      };
      socket.once('error', reject).once('close', resolve).once('connect', ask);
      socket.on('data', (data: Buffer) => {
        missing = missing > 0 ? missing - data.length : lengthOf(data) - data.length;
        if (missing > 0) return;
        answered += 1;
        if (performance.now() < until) ask();
        else socket.destroy();
      });
    });
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, (_, first) => client(first)));
  return (answered / (performance.now() - started)) * 1000;
}

/** Of a whole answer, of which this is the start with all of the head. */
function lengthOf(start: Buffer): number {
  const head = start.subarray(0, start.indexOf('\r\n\r\n')).toString('latin1');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`the site answered ${head.slice(0, 200)}`);
  return head.length + 4 + Number(length);
}
