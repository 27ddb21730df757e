import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { WireConnection } from './wire-connection.ts';

/**
 * What happens to a statement on its way to the server.
 * unsent     it never gets there
 * torn       half of it does
 * executing  all of it does, and the server is at work
 * committed  the server has done it, and its answer is on the way back
 */
export const moments = ['unsent', 'torn', 'executing', 'committed'] as const;
/** `held`: it is kept until it is delivered. */
type Moment = (typeof moments)[number] | 'held';

/** Called when a statement has come to its moment: its connection is cut afterwards, unless the statement is only held. */
export interface Strike {
  readonly moment: Moment;
  readonly act: (connection: WireConnection) => void;
}

/** Stands between processes of ours and PostgreSQL. Passes everything on, unless told otherwise. */
export class Wire {
  readonly connections = new Set<WireConnection>();
  /** Asked at each checkpoint of a job; what it answers with befalls that one. */
  onCheckpoint: ((connection: WireConnection, jobId: string) => Strike | undefined) | undefined;
  onConnection: ((connection: WireConnection) => void) | undefined;
  #isDark = false;
  readonly #server: Server;
  readonly target: () => number;

  private constructor(target: () => number) {
    this.target = target;
    this.#server = createServer((client: Socket) => {
      const connection = new WireConnection(this, client);
      this.connections.add(connection);
      this.onConnection?.(connection);
      client.once('close', () => this.connections.delete(connection));
    });
  }

  static async open(target: () => number): Promise<Wire> {
    const wire = new Wire(target);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Swallows every byte in both directions, without a word; connections that lost some stay silent for ever. */
  get isDark(): boolean {
    return this.#isDark;
  }

  set isDark(value: boolean) {
    this.#isDark = value;
    if (value) for (const connection of this.connections) connection.isDeaf = true;
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
