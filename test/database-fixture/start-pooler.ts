import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Pooler {
  readonly url: string;
  /** Names of the parameters that clients brought, in order of the alphabet. */
  readonly startupParameters: readonly string[];
  close(): Promise<void>;
}

/** Greets as PgBouncer does: with a process id of its own making. Otherwise it passes everything on. */
export async function startPooler(url: string): Promise<Pooler> {
  const target = new URL(url);
  const own = new URL(url);
  const parameters = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.once('data', (startup) => {
      for (const name of startupParameters(startup)) parameters.add(name);
    });
    client.pipe(upstream);
    upstream.on('end', () => client.end());
    let pending: Buffer = Buffer.alloc(0);
    upstream.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      pending = forwardMessages(pending, client);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    get startupParameters() {
      return [...parameters].sort();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Length, protocol version, then names and values, each ended by a zero. */
function startupParameters(message: Buffer): string[] {
  const texts = message.toString('utf8', 8).split('\0');
  return texts.filter((text, index) => index % 2 === 0 && text !== '');
}

/** Passes on all whole messages, and returns the rest. */
function forwardMessages(bytes: Buffer, client: Socket): Buffer {
  let rest = bytes;
  while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
    const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
    if (message.toString('latin1', 0, 1) === 'K') message.writeUInt32BE(1, 5); // BackendKeyData
    client.write(message);
    rest = rest.subarray(message.length);
  }
  return rest;
}
