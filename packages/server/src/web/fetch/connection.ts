import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { openSocket, type SocketOptions } from './open-socket.ts';
import { Client } from './undici-parts.ts';

export interface ConnectionOptions extends SocketOptions {
  /** How long an idle connection is kept when the site does not say. */
  readonly keepAliveMs: number;
}

/** Some sites send 20 KB of policy headers; Node's own limit of 16 KB fails them. */
const maxHeaderSize = 64 * 1024;
/** However long a site offers to keep a connection, an idle one is worth no more. */
const keepAliveMaxTimeout = 30_000;

/**
 * One connection to an origin, opened when it is first needed and again when the site has closed it. One request at a
 * time: with HTTP/1.1 pipelining a slow page would hold up its neighbours.
 */
export class Connection {
  remoteAddress: string | undefined;
  readonly #client: Client;
  #socket: Socket | undefined;

  constructor(origin: URL, options: ConnectionOptions) {
    this.#client = new Client(origin, {
      connect: (_, done) => {
        this.#socket = openSocket(origin, options, (...result) => {
          this.remoteAddress = result[1]?.remoteAddress;
          done(...result);
        });
      },
      pipelining: 1,
      maxHeaderSize,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout,
      // Exchange-watch keeps all times: undici's bodyTimeout starts anew with every byte of a trickle.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Ends it at once, in whatever state it is; a client alone would leave a socket that is still connecting. */
  destroy(): void {
    this.#socket?.destroy();
    this.#client.destroy().catch(() => {});
  }
}
