import { Listing } from './listing.ts';
import type { Bot, BotChange, Calls, CreatedBot, ListBotsQuery, NewBot } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Bots as operators see them; to be one, use `Bot`. */
export class Bots {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a bot; its token is in this answer and nowhere else. */
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

  /** Changes what is named; the rest stays. */
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
