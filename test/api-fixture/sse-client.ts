import { vi } from 'vitest';
import type { ListeningApi, RequestOptions } from './listening-api.ts';

export interface SseMessage {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any shape
  readonly data: any;
}

/** Reads a stream of Server-Sent Events as a browser does, but does not come back by itself. */
export class SseClient {
  readonly #leaving = new AbortController();
  readonly messages: SseMessage[] = [];
  readonly comments: string[] = [];
  readonly done: Promise<void>;
  readonly response: Response;
  /** What a browser would come back with. */
  lastEventId = '';
  retryMs = 0;
  hasEnded = false;

  private constructor(response: Response, leaving: AbortController) {
    this.response = response;
    this.#leaving = leaving;
    this.done = this.#read().finally(() => {
      this.hasEnded = true;
    });
  }

  static async open(
    api: ListeningApi,
    path: string,
    { lastEventId, ...options }: RequestOptions & { lastEventId?: string } = {},
  ): Promise<SseClient> {
    const leaving = new AbortController();
    const headers = { ...options.headers, ...(lastEventId && { 'last-event-id': lastEventId }) };
    const response = await api.request(path, { ...options, headers, signal: leaving.signal });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const client = new SseClient(response, leaving);
    client.lastEventId = lastEventId ?? '';
    return client;
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.done;
  }

  async until(condition: (messages: readonly SseMessage[]) => boolean, timeout = 90_000): Promise<void> {
    await vi.waitUntil(() => condition(this.messages), { interval: 10, timeout });
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // left, or cut off
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (name === '') this.comments.push(value);
      else fields.set(name, value);
    }
    this.lastEventId = fields.get('id') ?? this.lastEventId;
    this.retryMs = Number(fields.get('retry') ?? this.retryMs);
    const data = fields.get('data');
    if (data === undefined) return;
    this.messages.push({
      id: fields.get('id') ?? '',
      event: fields.get('event') ?? 'message',
      data: JSON.parse(data),
    });
  }
}
