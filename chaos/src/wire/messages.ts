/** Cuts a stream of PostgreSQL's protocol into its messages. The first one of a client has no type. */
export class Messages {
  #bytes: Buffer = Buffer.alloc(0);
  #isStartup: boolean;

  constructor(from: 'client' | 'server') {
    this.#isStartup = from === 'client';
  }

  /** The messages that are whole now. */
  *take(chunk: Buffer): Generator<{ readonly type: string; readonly bytes: Buffer }> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const header = this.#isStartup ? 4 : 5;
      if (this.#bytes.length < header) return;
      const length = this.#bytes.readUInt32BE(header - 4) + (header - 4);
      if (this.#bytes.length < length) return;
      const bytes = this.#bytes.subarray(0, length);
      const type = this.#isStartup ? 'startup' : String.fromCharCode(bytes[0] ?? 0);
      this.#isStartup = false;
      this.#bytes = this.#bytes.subarray(length);
      yield { type, bytes };
    }
  }
}

/** The prepared statement that a Bind message is for. */
export function statementOf(bind: Buffer): string {
  const portalEnds = bind.indexOf(0, 5);
  return bind.toString('latin1', portalEnds + 1, bind.indexOf(0, portalEnds + 1));
}

/** The first parameter of a Bind message, when it travels as text. */
export function firstParameterOf(bind: Buffer): string {
  let at = bind.indexOf(0, bind.indexOf(0, 5) + 1) + 1;
  at += 2 + 2 * bind.readUInt16BE(at); // the formats
  at += 2; // how many there are
  const length = bind.readInt32BE(at);
  return length < 0 ? '' : bind.toString('utf8', at + 4, at + 4 + length);
}
