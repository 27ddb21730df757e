export interface SseMessage {
  readonly event: string;
  readonly data: string;
  /** The last id received. */
  readonly id: string;
}

/** Parses Server-Sent Events as the HTML Standard defines them. */
export class SseReader {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #pendingId: string;
  /** The id to resume with. It is valid once its message is complete. */
  lastEventId: string;
  /** The server's reconnection delay. */
  retryMs: number | undefined;

  constructor(lastEventId = '') {
    this.lastEventId = lastEventId;
    this.#pendingId = lastEventId;
  }

  /** The messages completed by this text. */
  read(text: string): SseMessage[] {
    // A trailing carriage return may be half of a line break.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line) ?? []);
  }

  #take(line: string): SseMessage | undefined {
    if (line === '') return this.#dispatch();
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#pendingId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #dispatch(): SseMessage | undefined {
    const message = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#pendingId };
    const isEmpty = this.#data.length === 0;
    this.lastEventId = this.#pendingId;
    this.#event = '';
    this.#data = [];
    return isEmpty ? undefined : message;
  }
}
