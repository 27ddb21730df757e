import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

const headBytes = 4;
const maxMessageBytes = 256 * 1024 * 1024;

/** Messages over a stream: a four-byte length, then the V8-serialised message, including buffers. */
export class MessageStream<Out, In> {
  readonly #socket: Socket;
  #pieces: Buffer[] = [];
  #held = 0;
  #wanted: number | undefined;

  constructor(socket: Socket, onMessage: (message: In) => void) {
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => {
      this.#pieces.push(piece);
      this.#held += piece.length;
      for (let message = this.#next(); message; message = this.#next()) onMessage(deserialize(message) as In);
    });
  }

  send(message: Out): void {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    const body = serialize(message);
    const head = Buffer.allocUnsafe(headBytes);
    head.writeUInt32LE(body.length);
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #next(): Buffer | undefined {
    if (this.#wanted === undefined) {
      const head = this.#take(headBytes);
      if (!head) return undefined;
      this.#wanted = head.readUInt32LE();
      if (this.#wanted > maxMessageBytes) {
        this.#socket.destroy(new Error(`a message of ${this.#wanted} bytes`));
        return undefined;
      }
    }
    const body = this.#take(this.#wanted);
    if (body) this.#wanted = undefined;
    return body;
  }

  #take(bytes: number): Buffer | undefined {
    if (this.#held < bytes) return undefined;
    const all = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    if (!all) return Buffer.alloc(0);
    this.#pieces = all.length > bytes ? [all.subarray(bytes)] : [];
    this.#held -= bytes;
    return all.subarray(0, bytes);
  }
}
