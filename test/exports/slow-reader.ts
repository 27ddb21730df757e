import { Writable } from 'node:stream';

/** Takes one piece in a turn of the event loop, and knows how much was waiting at most. */
export class SlowReader extends Writable {
  most = 0;

  override _write(_data: unknown, _encoding: unknown, done: () => void): void {
    this.most = Math.max(this.most, this.writableLength);
    setImmediate(done);
  }
}
