import { isIP, type LookupFunction, Socket } from 'node:net';

export interface SocketTrap {
  /** `address:port` of every connection that would have been opened. */
  readonly opened: string[];
  release(): void;
}

/**
 * Counts connections at the socket, below every check of ours, and opens none of them: what Node would have connected to,
 * after its own look-up, is recorded and refused. Only literal 127.0.0.1 on `ports` is let through, for local sites.
 */
export function trapSockets(ports: readonly number[] = []): SocketTrap {
  const opened: string[] = [];
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function connect(this: Socket, ...given: unknown[]): Socket {
    const options = readOptions(given);
    if (options.path !== undefined || (options.host === '127.0.0.1' && ports.includes(options.port))) {
      return Reflect.apply(original, this, given);
    }
    addressesOf(options).then(
      (addresses) => {
        opened.push(...addresses.map((address) => `${address}:${options.port}`));
        this.destroy(Object.assign(new Error('trapped'), { code: 'ECONNREFUSED' }));
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  };
  return {
    opened,
    release: () => {
      Socket.prototype.connect = original;
    },
  };
}

interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly path?: string;
  readonly lookup?: LookupFunction;
}

/** net.connect hands its arguments over as one array, tls.connect as they are; pg calls connect(port, host). */
function readOptions([first, second]: unknown[]): ConnectOptions {
  if (typeof first === 'number') return { port: first, host: String(second ?? 'localhost') };
  return (Array.isArray(first) ? first[0] : first) as ConnectOptions;
}

function addressesOf({ host, lookup }: ConnectOptions): Promise<string[]> {
  if (isIP(host) !== 0 || !lookup) return Promise.resolve([host]);
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, answer) => {
      if (error) reject(error);
      else resolve(typeof answer === 'string' ? [answer] : answer.map(({ address }) => address));
    });
  });
}
