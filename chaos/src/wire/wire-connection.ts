import { connect, type Socket } from 'node:net';
import { firstParameterOf, Messages, statementOf } from './messages.ts';
import type { Strike, Wire } from './wire.ts';

/** One connection of a client through the wire. */
export class WireConnection {
  readonly #wire: Wire;
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #fromClient = new Messages('client');
  readonly #fromServer = new Messages('server');
  /** Bytes of it were lost; nothing passes any more. */
  isDeaf: boolean;
  /** What the client's side of the connection has as its own port, and what the server sees as its client's. */
  readonly clientPort: number;
  #bundle: Buffer[] | undefined;
  #strike: Strike | undefined;
  #isSwallowing = false;
  #serverPort = 0;
  #held: Buffer | undefined;
  #answered: (() => void) | undefined;

  constructor(wire: Wire, client: Socket) {
    this.#wire = wire;
    this.#client = client;
    this.clientPort = client.remotePort ?? 0;
    this.isDeaf = wire.isDark;
    this.#upstream = connect(wire.target(), '127.0.0.1');
    for (const socket of [client, this.#upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
    }
    this.#upstream.once('connect', () => {
      this.#serverPort = this.#upstream.localPort ?? 0;
    });
    client.on('data', (chunk) => this.#clientSent(chunk));
    this.#upstream.on('data', (chunk) => this.#serverSent(chunk));
    client.on('close', () => this.#upstream.destroy());
    this.#upstream.on('close', () => {
      if (!this.isDeaf) client.destroy();
    });
  }

  /** Known for as long as anyone asks: a socket that is closed has forgotten its port. */
  get serverPort(): number {
    return this.#serverPort;
  }

  cut(): void {
    this.#client.resetAndDestroy();
    this.#upstream.destroy();
  }

  /** Passes on what was held. Resolves when the server has answered, with true; or when it never will. */
  async deliver(): Promise<boolean> {
    const held = this.#held;
    if (!held || this.#upstream.destroyed) return false;
    this.#held = undefined;
    const answered = new Promise<boolean>((resolve) => {
      this.#answered = () => resolve(true);
      this.#upstream.once('close', () => resolve(false));
    });
    this.#upstream.write(held);
    return await answered;
  }

  #clientSent(chunk: Buffer): void {
    if (this.isDeaf) return;
    for (const { type, bytes } of this.#fromClient.take(chunk)) {
      if (type === 'B' && statementOf(bytes) === 'checkpoint') {
        this.#strike = this.#wire.onCheckpoint?.(this, firstParameterOf(bytes));
        if (this.#strike) this.#bundle = [];
      }
      if (!this.#bundle) {
        this.#upstream.write(bytes);
        continue;
      }
      this.#bundle.push(bytes);
      if (type === 'S') this.#befall(Buffer.concat(this.#bundle));
    }
  }

  #befall(statement: Buffer): void {
    this.#bundle = undefined;
    switch (this.#strike?.moment) {
      case 'held':
        this.#held = statement;
        this.#strike.act(this);
        this.#strike = undefined;
        break;
      case 'unsent':
        this.#carryOut();
        break;
      case 'torn':
        this.#upstream.write(statement.subarray(0, statement.length / 2), () => this.#carryOut());
        break;
      case 'executing':
        this.#isSwallowing = true;
        this.#upstream.write(statement, () => this.#carryOut());
        break;
      default:
        this.#isSwallowing = true;
        this.#upstream.write(statement);
    }
  }

  #serverSent(chunk: Buffer): void {
    if (this.isDeaf) return;
    if (!this.#isSwallowing) this.#client.write(chunk);
    if (!this.#isSwallowing && !this.#answered) return;
    // ReadyForQuery: whatever was to be committed is.
    for (const { type } of this.#fromServer.take(chunk)) {
      if (type !== 'Z') continue;
      this.#answered?.();
      this.#answered = undefined;
      this.#carryOut();
    }
  }

  #carryOut(): void {
    const strike = this.#strike;
    this.#strike = undefined;
    if (!strike) return;
    strike.act(this);
    this.cut();
  }
}
