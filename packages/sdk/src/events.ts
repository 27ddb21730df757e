import { followStream, type StreamOptions } from './follow-stream.ts';
import type { JobEvent, JobKind, StreamEventsQuery } from './operations.ts';
import type { Transport } from './transport.ts';

/** An event of any job. */
export interface StreamEvent extends JobEvent {
  job_id: string;
  kind: JobKind;
  user_id: string;
}

export type EventMessage =
  | {
      readonly type: 'transition';
      /** Pass it as `lastEventId` to resume. */
      readonly id: string;
      readonly data: StreamEvent;
    }
  /**
   * `lastEventId` is from another database (such as before a restore): the stream starts now, and events may be
   * missing.
   */
  | { readonly type: 'reset' };

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Streams events of all jobs, from now or after `lastEventId`, without gaps or duplicates across reconnects. */
  async *stream(
    query: Omit<StreamEventsQuery, 'last_event_id'> = {},
    options: StreamOptions = {},
  ): AsyncGenerator<EventMessage, never, undefined> {
    for await (const message of followStream(this.#transport, 'streamEvents', { query }, options)) {
      if (message.event === 'transition')
        yield { type: 'transition', id: message.id, data: JSON.parse(message.data) };
      if (message.event === 'reset') yield { type: 'reset' };
    }
    throw new Error('a stream has no end');
  }
}
