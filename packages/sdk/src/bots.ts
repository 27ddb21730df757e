import { Listing } from './listing.ts';
import type { Bot, BotChange, Calls, CreatedBot, ListBotsQuery, NewBot } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Administration of bots. To write a bot, use `Bot`. */
export class Bots {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a bot. Only this response contains its token. */
  create(bot: NewBot, options?: CallOptions): Promise<CreatedBot> {
    return this.#transport.call('createBot', { body: bot }, options);
  }

  list(query: ListBotsQuery = {}, options?: CallOptions): Listing<Bot> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listBots', { query: { ...query, cursor } }, options),
    );
  }

  get(botId: string, query: Calls['showBot']['query'] = {}, options?: CallOptions): Promise<Bot> {
    return this.#transport.call('showBot', { path: { bot_id: botId }, query }, options);
  }

  /** Changes the given fields. */
  update(
    botId: string,
    change: BotChange,
    query: Calls['changeBot']['query'] = {},
    options?: CallOptions,
  ): Promise<Bot> {
    const sent = { path: { bot_id: botId }, query, body: change, repeatable: true };
    return this.#transport.call('changeBot', sent, options);
  }
}
